// SPDX-License-Identifier: BSD-3-Clause
// A program that does known things a known number of times and prints what it did, as key=value
// lines: what a recording of it must give back.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "kutrace/mark.h"
#include "live/stolen_time.h"

namespace {

constexpr int kCalls = 5000;
constexpr int kFaults = 300;
constexpr int kSleeps = 5;
constexpr long kSleepNs = 3'000'000;
constexpr int kRounds = 200;
constexpr int kWrites = 16;
constexpr std::int64_t kSpinNs = 60'000'000;
// First arguments that nobody else uses, so that a call is recognised whoever seems to make it.
constexpr long kCallTag = 0x5a5a;
constexpr int kTaggedFds = 900;
constexpr int kPackets = 7;
constexpr std::size_t kPayload = 100;

std::int64_t clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::int64_t now() { return clock_ns(CLOCK_MONOTONIC); }

void say(const char* key, std::int64_t value) { std::printf("%s=%" PRId64 "\n", key, value); }

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) std::perror("sched_setaffinity");
}

pid_t thread_id() { return static_cast<pid_t>(syscall(SYS_gettid)); }

// The time of the mark lies between these two.
void marked(const char* key, const char* label) {
  const std::int64_t before = now();
  kutrace_mark_a(label);
  const std::int64_t after = now();
  std::printf("%s_before=%" PRId64 "\n%s_after=%" PRId64 "\n", key, before, key, after);
}

void call_getppid() {
  marked("calls", "calls");
  for (int i = 0; i < kCalls; ++i) syscall(SYS_getppid, kCallTag);
  marked("calls_end", "/calls");
  say("getppid", kCalls);
  say("call_tag", kCallTag);
}

void touch_fresh_pages() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory =
      mmap(nullptr, kFaults * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::exit(1);
  madvise(memory, kFaults * page, MADV_NOHUGEPAGE);
  auto* bytes = static_cast<volatile char*>(memory);
  kutrace_mark_b("fault");
  for (std::size_t i = 0; i < kFaults; ++i) bytes[i * page] = 1;
  kutrace_mark_b("/fault");
  say("faults", kFaults);
}

void sleep_some() {
  const timespec length{0, kSleepNs};
  for (int i = 0; i < kSleeps; ++i) {
    const std::int64_t before = now();
    clock_nanosleep(CLOCK_MONOTONIC, 0, &length, nullptr);
    std::printf("sleep%d=%" PRId64 "\n", i, now() - before);
  }
  say("sleeps", kSleeps);
  say("sleep_ns", kSleepNs);
}

void bounce(int in, int out, bool first) {
  char byte = 0;
  for (int i = 0; i < kRounds; ++i) {
    if (first && write(out, &byte, 1) != 1) std::exit(1);
    if (read(in, &byte, 1) != 1) std::exit(1);
    if (!first && write(out, &byte, 1) != 1) std::exit(1);
  }
}

void play_ping_pong() {
  int there[2];
  int back[2];
  if (pipe(there) != 0 || pipe(back) != 0) std::exit(1);
  for (int end = 0; end < 2; ++end) {
    there[end] = dup2(there[end], kTaggedFds + end);
    back[end] = dup2(back[end], kTaggedFds + 2 + end);
  }
  const int last = static_cast<int>(std::thread::hardware_concurrency()) - 1;
  std::thread other([&] {
    pin(last);
    bounce(there[0], back[1], false);
  });
  std::thread self([&] {
    pin(0);
    bounce(back[0], there[1], true);
  });
  self.join();
  other.join();
  say("ping_reads", back[0]);
  say("ping_writes", there[1]);
  say("pong_reads", there[0]);
  say("pong_writes", back[1]);
  say("ping_cpu", 0);
  say("pong_cpu", last);
  say("rounds", kRounds);
}

void spin() {
  const std::int64_t stolen_before = stolen_ns();
  const std::int64_t cpu_before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  kutrace_mark_c("spin");
  const std::int64_t end = now() + kSpinNs;
  while (now() < end) {
  }
  kutrace_mark_c("/spin");
  say("spin_cpu_ns", clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_before);
  say("spin_stolen_ns", stolen_since(stolen_before));
}

// Numbers of system calls, which are this machine's.
void say_numbers() {
  say("nr_getppid", SYS_getppid);
  say("nr_nanosleep", SYS_clock_nanosleep);
  say("nr_read", SYS_read);
  say("nr_write", SYS_write);
  say("nr_pwrite", SYS_pwrite64);
  say("nr_fsync", SYS_fsync);
}

void write_file(const char* path) {
  const int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  char data[4096] = {};
  kutrace_mark_d(1);
  for (int i = 0; i < kWrites; ++i)
    if (pwrite(fd, data, sizeof data, i * static_cast<off_t>(sizeof data)) < 0) std::exit(1);
  fsync(fd);
  kutrace_mark_d(2);
  close(fd);
  unlink(path);
  say("pwrites", kWrites);
}

// A packet's hash as KUtrace defines it: the exclusive or of its first eight words.
std::uint32_t hash_of(const std::string& payload) {
  std::uint32_t hash = 0;
  for (std::size_t at = 0; at < 32; at += 4) {
    std::uint32_t word;
    std::memcpy(&word, payload.data() + at, sizeof word);
    hash ^= word;
  }
  return hash;
}

// Sends packets of known bytes to a socket of our own over the loopback device and receives them.
void send_packets(int kind, const char* name) {
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof here;
  auto* address = reinterpret_cast<sockaddr*>(&here);
  int to = socket(AF_INET, kind, 0);
  const int from = socket(AF_INET, kind, 0);
  if (bind(to, address, sizeof here) != 0 || getsockname(to, address, &length) != 0) std::exit(1);
  if (kind == SOCK_STREAM && listen(to, 1) != 0) std::exit(1);
  if (connect(from, address, sizeof here) != 0) std::exit(1);
  if (kind == SOCK_STREAM) to = accept(to, nullptr, nullptr);
  std::string payload(kPayload, static_cast<char>(kind));
  payload.replace(0, 7, "kutrace");
  for (int i = 0; i < kPackets; ++i) {
    if (send(from, payload.data(), kPayload, 0) != static_cast<ssize_t>(kPayload)) std::exit(1);
    if (recv(to, payload.data(), kPayload, 0) != static_cast<ssize_t>(kPayload)) std::exit(1);
  }
  say(name, hash_of(payload));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  kutrace_look();  // linked statically, in guests, it would not be done by itself
  kutrace_addname(7, 4711, "pattern_lock");
  say("pid", thread_id());
  say_numbers();
  call_getppid();
  touch_fresh_pages();
  sleep_some();
  play_ping_pong();
  spin();
  write_file(argv[1]);
  send_packets(SOCK_DGRAM, "udp_hash");
  send_packets(SOCK_STREAM, "tcp_hash");
  say("packets", kPackets);
  return 0;
}
