// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/shared_stage.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "lab/common/errors.hpp"
#include "lab/common/shortage.hpp"
#include "takt/core/futex.hpp"

namespace takt::lab::comm {
namespace {

[[noreturn]] void fail(std::size_t bytes) {
  const int error = errno;
  throw CannotMeasure(
      fmt::format("no {} MiB of memory for a measurement: {}", bytes >> 20U, words_of_errno(error)),
      fix_of_shortage(error));
}

void ring(std::atomic<std::uint32_t>& word) noexcept {
  word.fetch_add(1);
  futex::wake_shared(word, std::numeric_limits<int>::max());
}

}  // namespace

SharedStage::SharedStage(const Round& round)
    : bytes_(Stage::bytes_for(round)), fd_(::memfd_create("takt-comm", 0)) {
  if (fd_ < 0) fail(bytes_);
  if (::ftruncate(fd_, static_cast<off_t>(bytes_)) == 0)
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_, 0);
  if (memory_ == nullptr || memory_ == MAP_FAILED) {
    ::close(fd_);
    fail(bytes_);
  }
  (*this)->round = round;
}

SharedStage::~SharedStage() {
  ::munmap(memory_, bytes_);
  ::close(fd_);
}

void SharedStage::clear() noexcept {
  auto& stage = **this;
  stage.first.store(std::numeric_limits<std::uint64_t>::max());
  for (auto& count : stage.counts) count.store(0);
  stage.phase.store(Stage::kSetUp);
}

void SharedStage::begin_turn() noexcept { ring((*this)->turn); }

void SharedStage::end() noexcept {
  auto& stage = **this;
  stage.over.store(true);
  ring(stage.turn);
  ring(stage.broadcast.value);
  ring(stage.answer_bell.value);
  for (std::size_t i = 0; i < stage.round.readers; ++i) ring(stage.bells[i].value);
}

std::uint64_t SharedStage::received() const noexcept {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < (*this)->round.readers; ++i) count += (*this)->counts[i].load();
  return count;
}

}  // namespace takt::lab::comm
