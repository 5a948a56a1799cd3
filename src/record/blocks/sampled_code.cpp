// SPDX-License-Identifier: BSD-3-Clause
// Follows which thread runs through a block, and takes its samples.
#include "record/blocks/sampled_code.h"

#include "format/event_table.h"
#include "record/blocks/block_walk.h"

namespace kutrace::record {

namespace {

constexpr EventNum kStacks = kind::kSTACKS | KUTRACE_STACKS_WORDS << KUTRACE_LENGTH_SHIFT;

}  // namespace

void SampledCode::add(const std::vector<SeedTask>& tasks) {
  for (const SeedTask& task : tasks) process_of_[task.pid] = task.process;
}

void SampledCode::add(const FinishedBlock& block) {
  constexpr std::size_t kHeaderPid = 2;
  auto running = static_cast<Pid>(block.words[kHeaderPid] & 0xffff'ffff);
  for_each_entry(block, [&](std::uint32_t at) {
    const std::uint64_t* words = block.words + at;
    const EventNum event = entry_event(words[0]);
    if (event == ev::kUSERPID) {
      running = static_cast<Pid>(entry_arg(words[0]) & KUTRACE_SWITCH_PID_MASK);
    } else if (event == ev::kPC_KERNEL) {
      kernel_.insert(words[1]);
    } else if (event == ev::kPC_USER) {
      by_thread_[running].insert(words[1]);
    } else if (event == kStacks) {
      stacks_by_thread_[running].insert(static_cast<std::uint32_t>(words[1] >> 32));
    } else if (event_class(event) == EventClass::kName && name_kind(event) == kind::kTASK) {
      const auto thread = static_cast<Pid>(entry_arg(words[0]));
      process_of_[thread] = static_cast<Pid>(words[2] & 0xffff'ffff);
      if ((words[1] & KUTRACE_TASK_RENUMBERED) != 0) running = thread;
    }
  });
}

// What stands in the kernel's half is of the kernel, whoever ran.
void SampledCode::add(const std::vector<StackRecord>& stacks) {
  std::unordered_map<std::uint32_t, const StackRecord*> by_number;
  for (const StackRecord& stack : stacks) {
    by_number[stack.number] = &stack;
    for (const std::uint64_t& frame : stack.frames)
      if (frame >> 63 != 0) kernel_.insert(code_of_frame(frame, &frame == &stack.frames.front()));
  }
  for (const auto& [thread, numbers] : stacks_by_thread_)
    for (const std::uint32_t number : numbers) {
      const auto stack = by_number.find(number);
      if (stack == by_number.end()) continue;
      for (const std::uint64_t& frame : stack->second->frames)
        by_thread_[thread].insert(code_of_frame(frame, &frame == &stack->second->frames.front()));
    }
}

std::unordered_map<Pid, std::set<std::uint64_t>> SampledCode::user() const {
  std::unordered_map<Pid, std::set<std::uint64_t>> user;
  for (const auto& [thread, counters] : by_thread_) {
    const auto process = process_of_.find(thread);
    user[process != process_of_.end() ? process->second : thread].insert(counters.begin(),
                                                                         counters.end());
  }
  return user;
}

}  // namespace kutrace::record
