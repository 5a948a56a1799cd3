// SPDX-License-Identifier: BSD-3-Clause
// A whole raw file from what happened. Who has events of another form says who ran what when, and
// gets a file that every command reads. Memory is a block per CPU, and the names.
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

// Takes the bytes of a block, which stand in the file at `number` times their size. Numbers ascend,
// but for the blocks that are kept for names: they begin the file and come last.
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

  // Begins a block of a CPU at the header's counter, and says who runs there. Blocks that nobody
  // began so begin where the one before is full.
  Status open(BlockHeader header);
  // So many blocks of the CPU come next that are missing.
  void skip(CpuId cpu, std::uint64_t blocks) { writer_of(cpu).skip(blocks); }

  // What happened on a CPU. Of one CPU, events come in the order of their times; a CPU's first
  // should say who runs (ev::kUSERPID).
  Status put(CpuId cpu, Ticks time, EventNum event, std::uint32_t argument = 0,
             std::uint8_t ipc = 0);
  // The return from `call`, in the call's own entry where that can be.
  Status put_return(CpuId cpu, Ticks time, EventNum call, std::uint16_t result = 0,
                    std::uint8_t ipc = 0);
  // A sampled program counter.
  Status put_sample(CpuId cpu, Ticks time, EventNum event, std::uint32_t argument,
                    std::uint64_t pc);
  // What holds from this moment on: a name, a thread.
  Status put(CpuId cpu, Ticks time, const LooseEntry& entry);

  // The recording ended: writes what is left, and the blocks of names.
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
