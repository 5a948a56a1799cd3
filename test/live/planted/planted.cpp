// SPDX-License-Identifier: BSD-3-Clause
// A program in which one thing is odd:
//   sleeping-holder     a thread sleeps while it holds a lock that another waits for
//   lock-convoy         three threads queue for a lock
//   priority-inversion  a thread waits for a lock whose holder does not get its CPU
//   starved             a thread of real time has the CPU that another is ready to run on
//   faults              pages are given back and made again
//   spin                sched_yield, again and again
//   poll                a read of a pipe that has nothing, again and again
//   migrations          a thread sends itself from one CPU to another and back
//   interrupts          each packet that is sent arrives at hundreds of sockets
// or in which nothing is:
//   healthy             a thread computes what another hands to it now and then
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "live/planting.h"

namespace kutrace::live {
namespace {

constexpr std::int64_t kLong = 800;

void sleeping_holder() { sleep_with_lock(400); }

// While one has the lock, the others come to wait for it.
void lock_convoy() {
  std::mutex mutex;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      be("queues", 10);
      for_ms(kLong, [&] {
        {
          const std::scoped_lock guard(mutex);
          sleep_ms(2);
        }
        sleep_ms(1);
      });
    });
  }
}

void priority_inversion() { invert_priorities(400); }

// Several times: a machine may let threads that it shows no tracer run in between, and what another
// thread did until then is not told.
void starved() {
  constexpr int kTimes = 4;
  int pipe[2];
  if (::pipe(pipe) != 0) give_up("pipe");
  Semaphore begin;
  std::jthread victim([&] {
    be("victim", 10, true);
    char byte = 0;
    for (int i = 0; i < kTimes; ++i) {
      if (read(pipe[0], &byte, 1) != 1) give_up("read");
    }
  });
  std::jthread hog([&] {
    be("hog", 20, true);
    for (int i = 0; i < kTimes; ++i) {
      begin.wait();
      compute_ms(650);
    }
  });
  be("waker", 30);
  for (int i = 0; i < kTimes; ++i) {
    sleep_ms(20);
    begin.post();
    sleep_ms(20);
    if (write(pipe[1], "", 1) != 1) give_up("write");
    sleep_ms(660);
  }
}

void faults() {
  constexpr std::size_t kBytes = 16 << 20;
  // Of large pages: clearing one is much more work than the trap that leads there, and than what a
  // virtual machine adds to the first touch of any page, which is no time of the fault's.
  constexpr std::size_t kHugePage = 2 << 20;
  constexpr useconds_t kRest_us = 100;  // so that nobody else waits for the CPU for long
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) give_up("mmap");
  madvise(memory, kBytes, MADV_HUGEPAGE);
  auto* const bytes = static_cast<volatile char*>(memory);
  be("toucher", 10);
  for_ms(kLong, [&] {
    for (std::size_t at = 0; at < kBytes; at += kHugePage) bytes[at] = 1;
    madvise(memory, kBytes, MADV_DONTNEED);
    usleep(kRest_us);
  });
}

void spin() {
  be("yields", 10);
  for_ms(kLong, [] { sched_yield(); });
}

void poll() {
  int pipe[2];
  if (pipe2(pipe, O_NONBLOCK) != 0) give_up("pipe2");
  be("polls", 10);
  for_ms(kLong, [&] {
    char byte = 0;
    if (read(pipe[0], &byte, 1) > 0) give_up("read");
  });
}

void migrations() {
  be("moves", 10);
  int cpu = 0;
  for_ms(kLong, [&] { run_on(cpu ^= 1); });
}

// A datagram to a group is copied to each of its sockets by the softirq that receives it.
void interrupts() {
  constexpr int kSockets = 500;
  const in_addr loopback{htonl(INADDR_LOOPBACK)};
  sockaddr_in group{};
  group.sin_family = AF_INET;
  group.sin_port = htons(16'999);
  inet_pton(AF_INET, "239.1.2.3", &group.sin_addr);
  const auto* address = reinterpret_cast<const sockaddr*>(&group);
  for (int i = 0; i < kSockets; ++i) {
    const int receiver = socket(AF_INET, SOCK_DGRAM, 0);
    const int shared = 1;
    const ip_mreq member{group.sin_addr, loopback};
    if (setsockopt(receiver, SOL_SOCKET, SO_REUSEADDR, &shared, sizeof shared) != 0 ||
        bind(receiver, address, sizeof group) != 0 ||
        setsockopt(receiver, IPPROTO_IP, IP_ADD_MEMBERSHIP, &member, sizeof member) != 0) {
      give_up("a socket of a group");
    }
  }
  const int sender = socket(AF_INET, SOCK_DGRAM, 0);
  if (setsockopt(sender, IPPROTO_IP, IP_MULTICAST_IF, &loopback, sizeof loopback) != 0) {
    give_up("IP_MULTICAST_IF");
  }
  be("sends", 10, true);
  for_ms(kLong, [&] {
    char bytes[64] = {};
    if (sendto(sender, bytes, sizeof bytes, 0, address, sizeof group) < 0) give_up("sendto");
  });
}

void healthy() {
  constexpr int kTimes = 40;
  std::mutex mutex;
  std::condition_variable given;
  int left = 0;
  std::jthread computes([&] {
    be("computes", 10);
    for (int i = 0; i < kTimes; ++i) {
      std::unique_lock lock(mutex);
      given.wait(lock, [&] { return left > 0; });
      --left;
      lock.unlock();
      const std::vector<char> bytes(1 << 20, 'x');
      compute_ms(2);
    }
  });
  be("gives", 20);
  for (int i = 0; i < kTimes; ++i) {
    sleep_ms(15);
    {
      const std::scoped_lock lock(mutex);
      ++left;
    }
    given.notify_one();
  }
}

}  // namespace
}  // namespace kutrace::live

int main(int count, char** words) {
  using namespace kutrace::live;
  const std::map<std::string, void (*)()> acts = {{"sleeping-holder", sleeping_holder},
                                                  {"lock-convoy", lock_convoy},
                                                  {"priority-inversion", priority_inversion},
                                                  {"starved", starved},
                                                  {"faults", faults},
                                                  {"spin", spin},
                                                  {"poll", poll},
                                                  {"migrations", migrations},
                                                  {"interrupts", interrupts},
                                                  {"healthy", healthy}};
  const auto act = acts.find(count == 2 ? words[1] : "");
  if (act == acts.end()) return 2;
  act->second();
  return 0;
}
