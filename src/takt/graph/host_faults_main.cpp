// SPDX-License-Identifier: Apache-2.0
// For the tests of faults: what a process can only do to itself as a whole.
//
//   takt_graph_faults full|descriptors|nobody FOLDER
//
// Exit: 0 all as it should be, 1 not (stderr says what), 77 not permitted here.
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <std_msgs/msg/string.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "takt/core/error.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/node.hpp"

namespace {

using namespace std::chrono_literals;
using std_msgs::msg::String;

constexpr int kNotPermitted = 77;
constexpr std::size_t kLarge = 600'000;

void expect(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("not so: " + what);
}

template <class Condition>
void expect_soon(Condition condition, const std::string& what) {
  for (int i = 0; i < 40'000; ++i) {
    if (condition()) return;
    std::this_thread::sleep_for(1ms);
  }
  expect(false, what);
}

/// Expects `body` to fail with a text that holds `what` and a fix that holds `fix`.
template <class Body>
void expect_error(const std::string& what, const std::string& fix, Body body) {
  try {
    body();
  } catch (const takt::SetupError& error) {
    expect(std::strstr(error.what(), what.c_str()) != nullptr, what + " in: " + error.what());
    expect(error.fix().find(fix) != std::string::npos, fix + " in the fix: " + error.fix());
    return;
  }
  expect(false, "an error that says " + what);
}

String string_of(std::size_t size) {
  String message;
  message.data.assign(size, 'x');
  return message;
}

/// A context with a node, as a process of its own would have it.
struct Member {
  explicit Member(const std::string& folder, const std::string& name)
      : node(std::make_shared<takt::Node>(name, takt::NodeOptions{.context = make_context(folder)})) {}

  static takt::Context::SharedPtr make_context(const std::string& folder) {
    takt::InitOptions options;
    options.verdict = takt::timing::VerdictFormat::off;
    options.discovery = takt::DiscoveryRange::localhost;
    options.shm_folder = folder;
    options.domain_id = 0;
    return takt::Context::make(options);
  }
  takt::Publisher<String>::SharedPtr publisher(std::size_t reserved = 100) const {
    return node->create_publisher<String>("text", 10, {.reserved = reserved});
  }
  takt::Subscription<String>::SharedPtr subscription() const {
    return node->create_subscription<String>("text", 10, nullptr);
  }

  takt::Node::SharedPtr node;
};

void expect_delivery(takt::Publisher<String>& from, takt::Subscription<String>& to) {
  expect_soon([&] { return from.get_subscription_count() == 1 && to.get_publisher_count() == 1; }, "a match");
  expect(from.publish(string_of(50)).delivered == 1, "a message is delivered");
  String message;
  takt::MessageInfo info;
  expect_soon([&] { return to.take(message, info) && message.data.size() == 50; }, "a message is taken");
}

/// A small file system of one's own, which ends with the process.
bool mount_small(const std::string& folder) {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("small", folder.c_str(), "tmpfs", 0, "size=3m,mode=0700") == 0;
}

void fill_up(const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  const std::string page(4096, 'x');
  while (out.write(page.data(), 4096).flush()) {
  }
}

int full(const std::string& folder) {
  if (!mount_small(folder)) {
    expect(errno == EPERM, "a file system is mounted: " + std::generic_category().message(errno));
    return kNotPermitted;
  }
  fill_up(folder + "/filler");
  expect_error("full", "remove files", [&] { const Member none(folder, "none"); });
  std::filesystem::remove(folder + "/filler");

  const Member talker(folder, "talker");
  const Member hearer(folder, "hearer");
  expect_error("/text", "remove files", [&] { talker.publisher(kLarge); });
  const auto publisher = talker.publisher();
  const auto subscription = hearer.subscription();
  expect_delivery(*publisher, *subscription);

  fill_up(folder + "/filler");
  const auto refused = publisher->publish(string_of(kLarge));
  expect(refused.host == takt::shm::Refusal::no_memory && refused.delivered == 0, "a large one is refused");
  expect(publisher->counters().host.refused == 1, "and counted");
  expect_delivery(*publisher, *subscription);
  std::filesystem::remove(folder + "/filler");
  expect(publisher->publish(string_of(kLarge)).delivered == 1, "with room again it is delivered");
  return 0;
}

/// No descriptor can be opened while it lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &former_);
    const rlimit none{0, former_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &former_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit former_{};
};

int descriptors(const std::string& folder) {
  {
    const NoDescriptors none;
    expect_error("open files", "ulimit -n", [&] { const Member member(folder, "none"); });
  }
  const Member talker(folder, "talker");
  const Member hearer(folder, "hearer");
  {
    const NoDescriptors none;
    expect_error("open files", "ulimit -n", [&] { talker.publisher(); });
  }
  const auto publisher = talker.publisher();
  expect_delivery(*publisher, *hearer.subscription());  // so that it is known
  auto none = std::make_unique<NoDescriptors>();
  const auto subscription = hearer.subscription();
  expect(subscription->get_publisher_count() == 0, "without a descriptor nothing is read");
  none.reset();
  expect_delivery(*publisher, *subscription);
  return 0;
}

int nobody(const std::string& folder) {
  if (::geteuid() == 0) {
    constexpr uid_t kNobody = 65'534;
    expect(::chown(folder.c_str(), kNobody, kNobody) == 0, "the folder is nobody's");
    expect(::setresgid(kNobody, kNobody, kNobody) == 0 && ::setresuid(kNobody, kNobody, kNobody) == 0,
           "this process is nobody's");
  }
  const rlimit no_real_time{0, 0};
  ::setrlimit(RLIMIT_RTPRIO, &no_real_time);
  const Member talker(folder, "talker");
  const Member hearer(folder, "hearer");
  const auto publisher = talker.publisher();
  const auto subscription = hearer.subscription();
  expect_delivery(*publisher, *subscription);
  return 0;
}

int run(const std::string& scenario, const std::string& folder) {
  if (scenario == "full") return full(folder);
  if (scenario == "descriptors") return descriptors(folder);
  return scenario == "nobody" ? nobody(folder) : 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    return run(argv[1], argv[2]);
  } catch (const std::exception& e) {
    std::cerr << argv[1] << ": " << e.what() << '\n';
    return 1;
  }
}
