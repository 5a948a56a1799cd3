// SPDX-License-Identifier: BSD-3-Clause
// What programs that plant something for `why` to find are made of: threads with names and
// priorities of real time, so that nothing else on the machine can be the reason; and plants that
// several of them have.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace kutrace::live {

constexpr int kContendedCpu = 0;  // of those that compete

[[noreturn]] inline void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

inline std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

inline void sleep_ms(std::int64_t ms) {
  const timespec time{0, ms * 1'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

template <typename Step>
void for_ms(std::int64_t ms, const Step& step) {
  const std::int64_t end = now() + ms * 1'000'000;
  while (now() < end) step();
}

inline void compute_ms(std::int64_t ms) {
  for_ms(ms, [] {});
}

inline void run_on(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(static_cast<unsigned>(cpu), &cpus);
  if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) give_up("sched_setaffinity");
}

inline void be(const char* name, int priority, bool on_contended_cpu = false) {
  pthread_setname_np(pthread_self(), name);
  const sched_param parameter{priority};
  if (sched_setscheduler(0, SCHED_FIFO, &parameter) != 0) give_up("sched_setscheduler");
  if (on_contended_cpu) run_on(kContendedCpu);
}

struct Semaphore {
  Semaphore() { sem_init(&semaphore, 0, 0); }
  void post() { sem_post(&semaphore); }
  void wait() { sem_wait(&semaphore); }
  sem_t semaphore{};
};

// "holder" sleeps while it holds a lock that "victim" waits for. The first thread has its priority
// before others begin, so that a busy machine does not keep it from making the victim in time.
inline void sleep_with_lock(std::int64_t ms) {
  be("main", 40);
  std::mutex mutex;
  Semaphore held;
  std::jthread holder([&] {
    be("holder", 10);
    const std::scoped_lock guard(mutex);
    held.post();
    sleep_ms(ms);
  });
  held.wait();
  std::jthread victim([&] {
    be("victim", 10);
    const std::scoped_lock guard(mutex);
  });
}

// "victim" waits for a lock whose holder, "low", is ready while "middle" has its CPU. The threads
// begin with the first one's priority, so none waits for the CPU that "low" does not give up.
inline void invert_priorities(std::int64_t ms) {
  be("main", 40);
  std::mutex mutex;
  Semaphore held;
  Semaphore begin;
  std::atomic<bool> goes_on = false;
  std::jthread low([&] {
    be("low", 10, true);
    const std::scoped_lock guard(mutex);
    held.post();
    while (!goes_on) {
    }
  });
  std::jthread middle([&] {
    be("middle", 20, true);
    begin.wait();
    goes_on = true;
    compute_ms(ms);
  });
  held.wait();
  sleep_ms(10);
  std::jthread high([&] {
    be("victim", 30);
    begin.post();
    const std::scoped_lock guard(mutex);
  });
}

}  // namespace kutrace::live
