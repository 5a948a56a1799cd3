// SPDX-License-Identifier: BSD-3-Clause
// A whole raw file from what happened. In: who ran what when, in ticks, and what is known of the
// trace as a whole; out: the blocks of a file that every command reads. Memory is a block per CPU,
// and the names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "format/cpu_writer.h"
#include "format/name_entries.h"
#include "format/tick_rate.h"

namespace kutrace {

// Takes the bytes of block `number`, which stands in the file at `number` times their size. Numbers
// ascend, except that the blocks of names, which begin the file, come last. An error ends the
// writing.
using BlockOutput = std::function<Status(std::uint64_t number, std::string_view bytes)>;

class RawWriter {
 public:
  struct Options {
    std::string source;  // fact: who recorded
    TimePair start;      // counter and wall clock; no event is earlier
    TickRate rate;
    unsigned flags = 0;            // KUTRACE_FLAG_IPC, KUTRACE_FLAG_LLC: there is a trailer
    std::size_t front_blocks = 1;  // kept for names; more names stand behind the events
  };

  RawWriter(Options options, BlockOutput output);

  // Names, facts, threads and losses of the whole trace, until it is finished. The facts `source`,
  // `tick_ns` and `blocks` are the writer's own.
  NameEntries& names() { return names_; }

  // Begins a block of a CPU at the header's counter, and says who runs there. Where nobody calls
  // this, a block begins where the one before is full.
  Status open(BlockHeader header);
  // The next `blocks` blocks of the CPU are missing: readers will see a loss there.
  void skip(CpuId cpu, std::uint64_t blocks) { writer_of(cpu).skip(blocks); }

  // An event of one word. Each CPU's events must come in order of time; the first one of a CPU
  // should say who runs (ev::kUSERPID).
  Status put(CpuId cpu, Ticks time, EventNum event, std::uint32_t argument = 0,
             std::uint8_t ipc = 0);
  // The return from `call`, folded into the call's own entry where that is possible.
  Status put_return(CpuId cpu, Ticks time, EventNum call, std::uint16_t result = 0,
                    std::uint8_t ipc = 0);
  // A sampled program counter.
  Status put_sample(CpuId cpu, Ticks time, EventNum event, std::uint32_t argument,
                    std::uint64_t pc);
  // An entry of several words that holds from this moment on: a name, a thread.
  Status put(CpuId cpu, Ticks time, const LooseEntry& entry);

  // Ends the recording: writes what is left, and the blocks of names. Once.
  Status finish(const TimePair& stop);

 private:
  Status put_words(CpuId cpu, Ticks time, std::uint64_t low44,
                   std::span<const std::uint64_t> payload, std::uint8_t ipc);
  Status close(CpuWriter& writer);
  Status write(const BlockWriter& block) { return output_(written_++, block.bytes()); }
  std::uint64_t usec_at(Ticks time) const;
  CpuWriter& writer_of(CpuId cpu);

  Options options_;
  BlockOutput output_;
  NameEntries names_;
  std::map<CpuId, CpuWriter> cpus_;
  std::uint64_t written_;  // blocks, those kept for names included
};

}  // namespace kutrace
