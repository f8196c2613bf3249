// SPDX-License-Identifier: Apache-2.0
// takt-shm-bench: publishing to readers in other processes beside the two bare futex ways to do so, in
// interleaved rounds. The floors share one buffer and a word for all readers (broadcast) or one for each
// (bells); they lose and tear messages, keep no history and know no dead reader.
#include <getopt.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <new>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "takt/core/error.hpp"
#include "takt/core/futex.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/transport/shm/bells.hpp"
#include "takt/transport/shm/membership.hpp"
#include "takt/transport/shm/reader.hpp"
#include "takt/transport/shm/writer.hpp"

namespace takt::shm::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostReaders = 64;
constexpr std::size_t kMostSamples = 20000;
constexpr std::size_t kBuffer = 1U << 20U;

struct Options {
  std::size_t rounds = 9;
  std::size_t samples = 500;
  std::vector<std::size_t> readers = {1, 4, 16};
  std::vector<std::size_t> sizes = {64, 4096, 65536, 1U << 20U};
  bool untouched = false;
  int fifo = 0;
};

SteadyTime now() { return SteadyClock::instance()->steady_now(); }

/// What the processes of one round share.
struct Stage {
  struct alignas(64) Word {
    std::atomic<std::uint32_t> value;
  };
  std::atomic<std::uint32_t> ready;
  std::atomic<bool> over;
  Word broadcast;
  std::array<Word, kMostReaders> bells;
  std::array<std::atomic<std::int64_t>, kMostSamples> sent;
  std::array<std::atomic<std::uint32_t>, kMostReaders> counts;
  std::array<std::array<float, kMostSamples>, kMostReaders> latency_us;
  alignas(4096) std::array<std::byte, kBuffer> buffer;
};

void fill(std::span<std::byte> bytes, std::size_t i) {
  std::memset(bytes.data(), static_cast<int>(i & 127U), bytes.size());
}

volatile std::uint64_t sink = 0;
void read(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    sum += word;
  }
  sink = sum;
}

void record(Stage& stage, std::size_t reader, SteadyTime sent) {
  const auto count = stage.counts[reader].load(std::memory_order_relaxed);
  if (count >= kMostSamples) return;
  stage.latency_us[reader][count] = static_cast<float>(to_us(now() - sent));
  stage.counts[reader].store(count + 1, std::memory_order_relaxed);
}

/// One way to reach N readers.
struct Way {
  std::function<void(Stage&, std::size_t reader)> be_reader;  // until over
  std::function<void(Stage&, std::size_t i)> publish;
  std::function<void(Stage&)> wake_all;
};

struct Cell {
  std::size_t readers = 1;
  std::size_t size = 64;
  bool touched = true;
};

Way floor_way(const Cell& cell, bool broadcast) {
  const auto wake = [=](Stage& stage) {
    if (broadcast) {
      stage.broadcast.value.fetch_add(1);
      futex::wake_shared(stage.broadcast.value, std::numeric_limits<int>::max());
      return;
    }
    for (std::size_t i = 0; i < cell.readers; ++i) {
      stage.bells[i].value.fetch_add(1);
      futex::wake_shared(stage.bells[i].value, 1);
    }
  };
  return {.be_reader =
              [=](Stage& stage, std::size_t reader) {
                auto& word = broadcast ? stage.broadcast.value : stage.bells[reader].value;
                auto seen = word.load();
                ++stage.ready;
                for (;;) {
                  while (word.load() == seen) futex::wait_shared(word, seen, kNever);
                  if (stage.over.load()) return;
                  // Each publication counts, as with takt: also those for which it came too late.
                  for (const auto current = word.load(); seen != current; ++seen) {
                    if (cell.touched) read({stage.buffer.data(), cell.size});
                    record(stage, reader, SteadyTime{Duration{stage.sent[seen].load()}});
                  }
                }
              },
          .publish =
              [=](Stage& stage, std::size_t i) {
                stage.sent[i].store(now().time_since_epoch().count());
                if (cell.touched) fill({stage.buffer.data(), cell.size}, i);
                wake(stage);
              },
          .wake_all = wake};
}

void read_shm(Stage& stage, const Cell& cell, const std::string& base, const std::filesystem::path& path,
              std::size_t index) {
  const Membership member(Domain::open(base, 0));
  const auto bell = member.bells->claim(0);
  const auto reader =
      Reader::attach(member.domain, path, {.lease = member.id, .bell = bell->index(), .depth = 16});
  ++stage.ready;
  while (!stage.over.load()) {
    const auto seen = bell->value();
    while (const auto view = reader->take()) {
      if (cell.touched) read(view->bytes());
      record(stage, index, view->header().published);
    }
    bell->wait(seen, kNever);
  }
}

Way shm_way(const Cell& cell, const std::string& base) {
  const auto member = std::make_shared<Membership>(Domain::open(base, 0));
  const std::shared_ptr<Writer> writer =
      Writer::create(member->domain, member->bells,
                     {.lease = member->id, .depth = 16, .max_size = cell.size, .reserved = cell.size});
  return {.be_reader = [=](Stage& stage, std::size_t i) { read_shm(stage, cell, base, writer->path(), i); },
          .publish =
              [=](Stage&, std::size_t i) {
                const auto published = now();
                auto filling = writer->begin(cell.size);
                TAKT_CHECK(filling);
                if (cell.touched) fill(filling.bytes(), i);
                writer->commit(std::move(filling), {.published = published});
              },
          .wake_all =
              [member](Stage&) {
                for (std::uint32_t row = 0; row < Bells::kRows; ++row) member->bells->ring(row);
              }};
}

void schedule(int fifo) {
  const sched_param parameters{fifo};
  if (fifo > 0 && ::sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) std::perror("SCHED_FIFO");
}

struct Figures {
  double mean = 0, p50 = 0, p99 = 0, publish_p50 = 0, publish_mean = 0, received = 0;
};

double quantile(std::vector<double>& values, double q) {
  if (values.empty()) return 0;
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const auto value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// One round: N readers in processes of their own, `samples` publications at 1 kHz from this one.
Figures round_of(const Way& way, const Cell& cell, const Options& options) {
  void* memory = ::mmap(nullptr, sizeof(Stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  TAKT_CHECK(memory != MAP_FAILED);
  auto& stage = *static_cast<Stage*>(memory);  // zero, which is how it begins
  std::vector<pid_t> readers;
  for (std::size_t i = 0; i < cell.readers; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      schedule(options.fifo);
      way.be_reader(stage, i);
      ::_exit(0);
    }
    readers.push_back(pid);
  }
  while (stage.ready.load() < cell.readers) ::usleep(1000);
  ::usleep(5000);
  std::vector<double> publish_us;
  auto next = now();
  for (std::size_t i = 0; i < options.samples; ++i) {
    next += 1ms;
    SteadyClock::instance()->sleep_until(next);
    const auto start = now();
    way.publish(stage, i);
    publish_us.push_back(to_us(now() - start));
  }
  ::usleep(20000);
  stage.over = true;
  std::vector<double> latencies;
  for (std::size_t i = 0; i < cell.readers; ++i) {
    latencies.insert(latencies.end(), stage.latency_us[i].begin(),
                     stage.latency_us[i].begin() + stage.counts[i].load());
  }
  way.wake_all(stage);
  for (const auto pid : readers) ::waitpid(pid, nullptr, 0);
  ::munmap(memory, sizeof(Stage));
  Figures figures{mean_of(latencies), 0, 0, 0, mean_of(publish_us), 0};
  figures.received =
      static_cast<double>(latencies.size()) / static_cast<double>(options.samples * cell.readers);
  figures.p50 = quantile(latencies, 0.5);
  figures.p99 = quantile(latencies, 0.99);
  figures.publish_p50 = quantile(publish_us, 0.5);
  return figures;
}

using Figure = double Figures::*;

std::vector<double> column(const std::vector<Figures>& rounds, Figure figure) {
  std::vector<double> values;
  for (const auto& round : rounds) values.push_back(round.*figure);
  return values;
}
double median(std::vector<double> values) { return quantile(values, 0.5); }

/// The median of the rounds' ratios (or differences), and the 95 % interval of that by bootstrap.
std::string compared(const std::vector<double>& a, const std::vector<double>& b, bool ratio) {
  std::vector<double> rounds;
  for (std::size_t i = 0; i < a.size(); ++i) rounds.push_back(ratio ? a[i] / b[i] : a[i] - b[i]);
  std::minstd_rand random(1);
  std::vector<double> medians;
  for (int draw = 0; draw < 2000; ++draw) {
    std::vector<double> drawn;
    for (std::size_t i = 0; i < rounds.size(); ++i) drawn.push_back(rounds[random() % rounds.size()]);
    medians.push_back(median(drawn));
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.2f [%.2f, %.2f]", median(rounds), quantile(medians, 0.025),
                quantile(medians, 0.975));
  return text;
}

void print(const char* name, const std::vector<Figures>& rounds) {
  const auto middle = [&](Figure figure) { return median(column(rounds, figure)); };
  std::printf(
      "  %-16s mean %7.1f  p50 %7.1f  p99 %8.1f us | publish p50 %6.2f mean %6.2f us | received %5.1f %%\n",
      name, middle(&Figures::mean), middle(&Figures::p50), middle(&Figures::p99),
      middle(&Figures::publish_p50), middle(&Figures::publish_mean), 100 * middle(&Figures::received));
}

void run(const Cell& cell, const Options& options, const std::string& base) {
  std::vector<Figures> broadcast, bells, again, shm;
  for (std::size_t round = 0; round < options.rounds; ++round) {
    bells.push_back(round_of(floor_way(cell, false), cell, options));
    shm.push_back(round_of(shm_way(cell, base), cell, options));
    broadcast.push_back(round_of(floor_way(cell, true), cell, options));
    again.push_back(round_of(floor_way(cell, false), cell, options));
  }
  std::printf("%zu bytes%s, %zu reader(s), 1 kHz, %zu rounds of %zu\n", cell.size,
              cell.touched ? "" : " untouched", cell.readers, options.rounds, options.samples);
  print("futex broadcast", broadcast);
  print("futex bells", bells);
  print("takt shm", shm);
  const auto versus = [&](const std::vector<Figures>& floor, Figure figure) {
    return compared(column(shm, figure), column(floor, figure), true);
  };
  std::printf("  mean: shm / bells %s, shm / broadcast %s, bells / bells %s\n",
              versus(bells, &Figures::mean).c_str(), versus(broadcast, &Figures::mean).c_str(),
              compared(column(again, &Figures::mean), column(bells, &Figures::mean), true).c_str());
  std::printf(
      "  p50: shm / bells %s; publish p50, more than bells: %s us (bells against itself %s)\n",
      versus(bells, &Figures::p50).c_str(),
      compared(column(shm, &Figures::publish_p50), column(bells, &Figures::publish_p50), false).c_str(),
      compared(column(again, &Figures::publish_p50), column(bells, &Figures::publish_p50), false).c_str());
  std::fflush(stdout);
}

/// One process, nobody waits: what publishing and taking cost by themselves.
void run_without_sleepers(const std::string& base) {
  const Membership member(Domain::open(base, 0));
  const auto bell = member.bells->claim(0);
  const auto writer =
      Writer::create(member.domain, member.bells, {.lease = member.id, .depth = 16, .max_size = 64});
  const auto cost_ns = [](auto body) {
    std::vector<double> rounds;
    for (int round = 0; round < 15; ++round) {
      constexpr int count = 5000;
      const auto start = now();
      for (int i = 0; i < count; ++i) body(static_cast<std::size_t>(i));
      rounds.push_back(to_us(now() - start) * 1000 / count);
    }
    return median(rounds);
  };
  const auto publish = [&](std::size_t i) {
    auto filling = writer->begin(64);
    fill(filling.bytes(), i);
    writer->commit(std::move(filling), {});
  };
  std::printf("64 bytes, nobody sleeps, one process (ns):");
  std::atomic<std::uint32_t> word{0};
  std::printf(" bare store %.0f,", cost_ns([&](std::size_t) { word.fetch_add(1); }));
  std::printf(" bare store and wake of nobody %.0f;", cost_ns([&](std::size_t) {
                word.fetch_add(1);
                futex::wake_shared(word);
              }));
  std::vector<std::unique_ptr<Reader>> readers;
  for (const std::size_t count : {0U, 1U, 4U, 16U}) {
    while (readers.size() < count) {
      readers.push_back(Reader::attach(member.domain, writer->path(),
                                       {.lease = member.id, .bell = bell->index(), .depth = 16}));
    }
    std::printf(" publish with %zu readers %.0f,", count, cost_ns(publish));
  }
  readers.resize(1);
  std::printf(" publish and take %.0f\n", cost_ns([&](std::size_t i) {
                publish(i);
                readers[0]->take();
              }));
}

std::vector<std::size_t> numbers(const char* text) {
  std::vector<std::size_t> values;
  std::istringstream list(text);
  for (std::string item; std::getline(list, item, ',');) values.push_back(std::stoul(item));
  return values;
}

int usage() {
  std::puts(
      "takt-shm-bench [--rounds 9] [--samples 500] [--readers 1,4,16] [--sizes 64,4096,65536,1048576]\n"
      "               [--untouched] [--fifo PRIORITY]");
  return 2;
}

int run(int argc, char** argv) {
  Options options;
  const option known[] = {{"rounds", required_argument, nullptr, 'r'},
                          {"samples", required_argument, nullptr, 's'},
                          {"readers", required_argument, nullptr, 'n'},
                          {"sizes", required_argument, nullptr, 'b'},
                          {"untouched", no_argument, nullptr, 'u'},
                          {"fifo", required_argument, nullptr, 'f'},
                          {nullptr, 0, nullptr, 0}};
  for (int c = 0;
       (c = ::getopt_long(argc, argv, "", known, nullptr)) != -1;) {  // NOLINT(concurrency-mt-unsafe)
    if (c == 'r') options.rounds = std::stoul(optarg);
    if (c == 's') options.samples = std::min(std::stoul(optarg), kMostSamples);
    if (c == 'n') options.readers = numbers(optarg);
    if (c == 'b') options.sizes = numbers(optarg);
    if (c == 'u') options.untouched = true;
    if (c == 'f') options.fifo = std::stoi(optarg);
    if (c == '?') return usage();
  }
  char base[] = "/dev/shm/takt-bench-XXXXXX";
  if (::mkdtemp(base) == nullptr) return 3;
  run_without_sleepers(base);
  schedule(options.fifo);
  for (const auto size : options.sizes) {
    for (const auto readers : options.readers) {
      if (size <= kBuffer && readers <= kMostReaders) run({readers, size, !options.untouched}, options, base);
    }
  }
  std::filesystem::remove_all(base);
  return 0;
}

}  // namespace
}  // namespace takt::shm::bench

int main(int argc, char** argv) {
  try {
    return takt::shm::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "takt-shm-bench: %s\n", error.what());
    return 3;
  }
}
