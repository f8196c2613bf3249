// SPDX-License-Identifier: Apache-2.0
// For the tests of discovery: a process of its own, told by lines on standard input what to do.
//
//   shm_discovery_peer BASE                 add pub|sub TOPIC · remove ID · join · leave · fork · quit
//   shm_discovery_peer BASE crowd N TIMES   TIMES times, N processes start at one instant and find each other
//
// Each command is answered by one line, as are the results of a crowd.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <thread>

#include "takt/core/futex.hpp"
#include "takt/core/lease.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/transport/shm/discovery.hpp"

namespace {

using namespace std::chrono_literals;
using takt::shm::Discovery;
using takt::shm::Domain;
using takt::shm::Endpoint;
using takt::shm::EndpointKind;

Endpoint named_endpoint(EndpointKind kind, const std::string& topic) {
  Endpoint endpoint;
  endpoint.kind = kind;
  endpoint.topic = topic;
  endpoint.type_name = "std_msgs/msg/Int32";
  endpoint.node = "/peer";
  if (kind == EndpointKind::publisher) endpoint.segment = "segment-of-" + topic.substr(topic.find('/') + 1);
  return endpoint;
}

/// A process of the domain.
struct Member {
  explicit Member(const std::string& base)
      : domain(Domain::open(base, 0)),
        lease(takt::Lease::create(domain.path(), Domain::random_name(takt::shm::kLeaseKind))) {}
  void join() {
    takt::shm::DiscoveryOwner owner;
    owner.on_appeared = [this](const Endpoint&) {
      ++appeared;
      takt::futex::wake_all(appeared);
    };
    discovery = std::make_unique<Discovery>(domain, *lease, owner);
  }

  Domain domain;
  std::unique_ptr<takt::Lease> lease;
  std::atomic<std::uint32_t> appeared{0};
  std::unique_ptr<Discovery> discovery;
};

/// A child that does nothing but outlive its parent.
pid_t fork_idler() {
  const auto child = ::fork();
  if (child == 0) {
    ::close(STDIN_FILENO);
    ::close(STDOUT_FILENO);
    std::this_thread::sleep_for(60s);
    ::_exit(0);
  }
  return child;
}

std::string obey(Member& member, const std::string& line) {
  std::istringstream words(line);
  std::string verb;
  std::string what;
  words >> verb >> what;
  if (verb == "join") {
    member.join();
  } else if (verb == "leave") {
    member.discovery.reset();
  } else if (verb == "add") {
    std::string topic;
    words >> topic;
    const auto kind = what == "pub" ? EndpointKind::publisher : EndpointKind::subscription;
    return std::to_string(member.discovery->add(named_endpoint(kind, topic)));
  } else if (verb == "remove") {
    return member.discovery->remove(std::stoull(what)) ? "removed" : "unknown";
  } else if (verb == "fork") {
    return std::to_string(fork_idler());
  } else if (verb == "count") {
    return std::to_string(member.discovery->snapshot().size());
  } else {
    return "?";
  }
  return "done";
}

int serve(const std::string& base) {
  Member member(base);
  member.join();
  std::cout << member.lease->path().filename().string() << std::endl;
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    std::cout << obey(member, line) << std::endl;
  }
  return 0;
}

/// What the processes of a crowd share.
struct Gate {
  std::atomic<std::uint32_t> open{0};
  std::atomic<std::uint32_t> ready{0};
  std::atomic<std::uint32_t> knowing{0};
  std::atomic<std::uint32_t> informed{0};
  std::atomic<std::int64_t> started_ns{0};
  std::atomic<std::int64_t> all_known_ns{0};
  std::atomic<std::int64_t> change_ns{0};
  std::atomic<std::uint64_t> datagrams{0};
  std::atomic<std::int64_t> cpu_us{0};         // of discovery's threads
  std::atomic<std::int64_t> change_cpu_us{0};  // of the one that tells all of a change
};

std::int64_t now_ns() { return takt::SteadyClock::instance()->steady_now().time_since_epoch().count(); }

void keep_longest(std::atomic<std::int64_t>& longest, std::int64_t since) {
  const auto took = now_ns() - since;
  auto before = longest.load();
  while (took > before && !longest.compare_exchange_weak(before, took)) {
  }
}

/// CPU time of all threads but the calling one.
std::int64_t cpu_of_others_us() {
  const auto used_us = [](int of_whom) {
    rusage used{};
    ::getrusage(of_whom, &used);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1'000'000 + used.ru_utime.tv_usec +
           used.ru_stime.tv_usec;
  };
  return used_us(RUSAGE_SELF) - used_us(RUSAGE_THREAD);
}

/// Waits until so many endpoints of others have appeared.
bool wait_for(Member& member, std::uint32_t endpoints) {
  auto& clock = *takt::SteadyClock::instance();
  const auto give_up = clock.steady_now() + 60s;
  for (auto seen = member.appeared.load(); seen < endpoints; seen = member.appeared.load()) {
    if (clock.steady_now() > give_up) return false;
    clock.wait(member.appeared, seen, give_up);
  }
  return true;
}

void wait_for_all(const std::atomic<std::uint32_t>& count, std::uint32_t members) {
  for (int i = 0; i < 6000 && count.load() < members; ++i) takt::SteadyClock::instance()->sleep_for(10ms);
}

/// Until every one knows two endpoints of every other, and then a third one of the first.
void run_one(const std::string& base, Gate& gate, std::uint32_t number, std::uint32_t members) {
  Member member(base);
  ++gate.ready;
  while (gate.open.load() == 0) takt::SteadyClock::instance()->sleep_for(500us);
  member.join();
  member.discovery->add(named_endpoint(EndpointKind::publisher, "/p" + std::to_string(::getpid())));
  member.discovery->add(named_endpoint(EndpointKind::subscription, "/s" + std::to_string(::getpid())));
  const auto others = 2 * (members - 1);
  if (!wait_for(member, others) || member.discovery->snapshot().size() != others + 2) return;
  keep_longest(gate.all_known_ns, gate.started_ns);
  ++gate.knowing;
  wait_for_all(gate.knowing, members);
  const auto cpu = cpu_of_others_us();
  gate.cpu_us += cpu;
  gate.datagrams += member.discovery->counters().sent;
  if (number == 0) {
    gate.started_ns = now_ns();
    member.discovery->add(named_endpoint(EndpointKind::publisher, "/one_more"));
  } else if (wait_for(member, others + 1)) {
    keep_longest(gate.change_ns, gate.started_ns);
  }
  ++gate.informed;
  wait_for_all(gate.informed, members);
  if (number == 0) gate.change_cpu_us = cpu_of_others_us() - cpu;
}

/// One line: how many found all · until the last did, ms · CPU time of a discovery thread, ms · datagrams in
/// all · until the last knew of a change, ms · CPU time of telling it, ms · files left in the folder.
std::string gather(const std::string& base, std::uint32_t members) {
  void* memory = ::mmap(nullptr, sizeof(Gate), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return "no memory";
  auto& gate = *new (memory) Gate;
  for (std::uint32_t i = 0; i < members; ++i) {
    if (::fork() == 0) {
      run_one(base, gate, i, members);
      ::_exit(0);
    }
  }
  wait_for_all(gate.ready, members);
  gate.started_ns = now_ns();
  gate.open = 1;
  while (::wait(nullptr) > 0) {
  }
  const auto folder = Domain::open(base, 0).path();
  const auto left = std::distance(std::filesystem::directory_iterator(folder), {});
  std::ostringstream line;
  line << gate.knowing << ' ' << static_cast<double>(gate.all_known_ns) * 1e-6 << ' '
       << static_cast<double>(gate.cpu_us) * 1e-3 / members << ' ' << gate.datagrams << ' '
       << static_cast<double>(gate.change_ns) * 1e-6 << ' ' << static_cast<double>(gate.change_cpu_us) * 1e-3
       << ' ' << left;
  ::munmap(memory, sizeof(Gate));
  return line.str();
}

int run(int argc, char** argv) {
  if (argc == 2) return serve(argv[1]);
  if (argc != 5 || std::string(argv[2]) != "crowd") return 2;
  const auto members = static_cast<std::uint32_t>(std::stoul(argv[3]));
  for (int i = std::stoi(argv[4]); i > 0; --i) std::cout << gather(argv[1], members) << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 3;
  }
}
