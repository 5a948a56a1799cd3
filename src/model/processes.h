// SPDX-License-Identifier: BSD-3-Clause
// The processes of a trace. In: the lives of threads, in any order; out: each process with its
// threads, from the begin of the first one's life to the end of the last one's. Two processes that
// have one number in turn are two.
//
// A process begins with a thread that has its number, or with the recording. A thread of which no
// process is told is a process of its own.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/call.h"

namespace kutrace {

// Numbered from 1, in the order in which they begin.
enum class ProcessId : std::uint32_t { kNone };

struct Process {
  ProcessId id = ProcessId::kNone;
  Pid number = kNoPid;
  Pid parent = kNoPid;    // number of the process that made it; kNoPid: not told
  NameId name = kNoName;  // the last one of the thread that has its number, if that was seen
  Ns begin = 0;
  Ns end = 0;
  std::vector<ThreadId> threads;  // as they appeared
};

class Processes {
 public:
  // Of the process that the thread is of.
  static Pid number_of(const ThreadLife& life);

  void add(const ThreadLife& life);
  // After the last life, and before any question.
  void finish();

  const std::vector<Process>& all() const { return all_; }
  ProcessId of(ThreadId thread) const;
  // The process that made this one: the one that had the parent's number when this one began.
  ProcessId maker(const Process& process) const;
  const Process& at(ProcessId id) const { return all_[static_cast<std::size_t>(id) - 1]; }

 private:
  bool has(const Process& process, ThreadId thread) const;
  Process& begin(const ThreadLife& life);
  void join(Process& process, const ThreadLife& life);
  void number_in_order();

  std::vector<ThreadLife> lives_;
  std::vector<Process> all_;
  std::vector<ProcessId> of_thread_;                           // by id
  std::unordered_map<Pid, std::vector<ProcessId>> of_number_;  // as they began
};

// Those of all lives of a trace.
Processes processes_of(const std::vector<ThreadLife>& lives);

}  // namespace kutrace
