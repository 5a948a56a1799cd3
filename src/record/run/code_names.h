// SPDX-License-Identifier: BSD-3-Clause
// What the recorder must store so that samples can be named later, on any machine: functions of the
// kernel by name, user code by file, build-id and place. In: finished blocks; out: entries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/kallsyms.h"
#include "format/name_entries.h"
#include "format/symbol_text.h"
#include "record/blocks/clock.h"
#include "record/blocks/sampled_code.h"
#include "record/proc/map_events.h"
#include "record/proc/memory_maps.h"

namespace kutrace::record {

class CodeNames {
 public:
  // Before the recording starts.
  void start(const std::vector<CpuId>& cpus, const std::vector<SeedTask>& tasks);
  // Must be called often.
  void poll() { events_.poll(); }
  void add(const FinishedBlock& block) { sampled_.add(block); }

  // At the end: the stacks that blocks named.
  void add(std::vector<StackRecord> stacks);

  // At the end, once: adds what is known of the code that was sampled. `start` is a reading of the
  // trace's clocks.
  void add_to(NameEntries& names, const ClockReading& start, const TickRate& rate);
  // Why names are missing; valid after `add_to`.
  const std::vector<std::string>& missed() const { return missed_; }

 private:
  void add_kernel_names(NameEntries& names);
  const Kallsyms& kernel_symbols();

  SampledCode sampled_;
  std::vector<StackRecord> stacks_;
  std::optional<Kallsyms> kernel_;
  MapEvents events_;
  MemoryMaps memory_;
  std::vector<std::string> missed_;
};

}  // namespace kutrace::record
