// SPDX-License-Identifier: BSD-3-Clause
// Threads of Chrome's JSON and their numbers. In: processes and threads as events name them, which
// may be any numbers or texts; out: a number of its own for each thread and process. A thread keeps
// the number that the file gives it, unless that is none that a thread can have, or another
// thread's; then it gets one above kFirstMadeUp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/units.h"

namespace kutrace::read {

class ChromeThreads {
 public:
  static constexpr Pid kFirstMadeUp = 1 << 30;

  struct Thread {
    Pid pid = kNoPid;
    std::size_t process = 0;  // index
    std::string_view name;    // as told; escapes not resolved
    Ns first = 0;             // when it did something; where `any`
    Ns last = 0;
    bool any = false;

    void does(Ns from, Ns to);
  };
  struct Process {
    Pid pid = kNoPid;
    std::string_view name;
  };

  // Index of the thread; texts must stay. Without a thread, the process's own is meant.
  std::size_t thread_of(std::string_view process, std::string_view thread);
  std::size_t process_of(std::string_view process);

  Thread& thread(std::size_t index) { return threads_[index]; }
  Process& process(std::size_t index) { return processes_[index]; }
  const std::vector<Thread>& threads() const { return threads_; }
  const std::vector<Process>& processes() const { return processes_; }

 private:
  using Key = std::pair<std::size_t, std::string_view>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::string_view>()(key.second) ^ (key.first * 0x9e37'79b9'7f4a'7c15U);
    }
  };
  Pid made_up() { return next_++; }

  std::vector<Thread> threads_;
  std::vector<Process> processes_;
  std::unordered_map<Key, std::size_t, Hash> thread_index_;
  std::unordered_map<std::string_view, std::size_t> process_index_;
  std::unordered_map<Pid, std::size_t> process_of_number_;  // whose number it is
  std::unordered_map<Pid, std::size_t> thread_of_number_;
  Pid next_ = kFirstMadeUp;
};

}  // namespace kutrace::read
