// SPDX-License-Identifier: BSD-3-Clause
// Which code was sampled. In: finished blocks and stacks; out: program counters by process.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/units.h"
#include "format/symbol_text.h"
#include "record/blocks/finished_block.h"
#include "record/proc/task_seed.h"

namespace kutrace::record {

class SampledCode {
 public:
  void add(const std::vector<SeedTask>& tasks);
  void add(const FinishedBlock& block);
  // The stacks that blocks named, after the last of them: their frames count as sampled.
  void add(const std::vector<StackRecord>& stacks);

  const std::unordered_set<std::uint64_t>& kernel() const { return kernel_; }
  // Program counters of user code, by process.
  std::unordered_map<Pid, std::set<std::uint64_t>> user() const;

 private:
  std::unordered_set<std::uint64_t> kernel_;
  std::unordered_map<Pid, std::unordered_set<std::uint64_t>> by_thread_;
  std::unordered_map<Pid, std::unordered_set<std::uint32_t>> stacks_by_thread_;
  std::unordered_map<Pid, Pid> process_of_;
};

}  // namespace kutrace::record
