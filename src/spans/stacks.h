// SPDX-License-Identifier: BSD-3-Clause
// Stacks of samples and of threads that are switched away. In: the trace's stacks, STACKS entries,
// and the sample or switch that each stands before; out: the name of each stack, and the stack
// itself to the sink before the first span that has it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "format/trace_clock.h"
#include "model/sample_names.h"
#include "model/span_sink.h"
#include "timeline/code_records.h"
#include "timeline/event.h"

namespace kutrace::spans {

class Stacks {
 public:
  // `code` names functions. `cpus`: one more than the highest CPU number. All references, the
  // records too, must outlive this object.
  Stacks(NameTable& names, SampleNames& code, SpanSink& sink,
         const std::vector<StackRecord>& records, const TraceClock& clock, std::size_t cpus);

  // An entry of kind STACKS.
  void push(const timeline::Event& event);
  // Whether the next event of this CPU may have stacks.
  bool waits(CpuId cpu) const { return cpus_[cpu].waits; }
  // The name of the stacks of this sample or switch of a thread of `process`; kNoName if it has
  // none.
  NameId take(const timeline::Event& event, Pid process);

 private:
  struct Cpu {
    bool waits = false;
    Ns time = 0;
    std::uint64_t numbers = 0;
  };
  struct Known {
    Ns from = 0;
    const std::vector<std::uint64_t>* frames = nullptr;
  };
  struct Key {
    Pid process = 0;
    std::uint64_t numbers = 0;
    std::size_t moment = 0;  // of what the process had mapped
    auto operator<=>(const Key&) const = default;
  };
  std::span<const std::uint64_t> frames(std::uint32_t number, Ns time) const;
  NameId name(Ns time, Pid process, std::uint64_t numbers);

  NameTable& names_;
  SampleNames& code_;
  SpanSink& sink_;
  std::unordered_map<std::uint32_t, std::vector<Known>> records_;  // by number, ascending in time
  std::map<Key, NameId> named_;
  std::vector<Cpu> cpus_;  // by number
};

}  // namespace kutrace::spans
