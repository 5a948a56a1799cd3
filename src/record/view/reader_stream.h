// SPDX-License-Identifier: BSD-3-Clause
// What one reader gets of a recording. In: its finished blocks, in order for each CPU, and at the
// end those that are still open; out: blocks of his own, piece by piece as they grow. What he did
// not ask for, and what he may not see, is not in them.
//
// Who is too slow is lapped: what does not fit into the memory that he has is left out, or was
// overwritten in the kernel. His own blocks say from when to when, and how much if that is known.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/units.h"
#include "decode/entry.h"
#include "format/cpu_writer.h"
#include "format/event_groups.h"
#include "record/blocks/clock.h"
#include "record/blocks/finished_block.h"
#include "record/source/source.h"
#include "record/view/piece.h"

namespace kutrace::record {

struct ReaderRights {
  EventGroups groups;
  bool arguments = false;              // of system calls
  std::optional<std::uint32_t> owner;  // sees the threads of this owner alone
  std::size_t memory = 64u << 20;      // bytes that wait for him
  std::uint64_t rate = 0;              // entries a second; 0: as many as there are
  TickRate ticks = kMonotonicRate;
  bool lapped = false;  // missing blocks were overwritten
};

class ReaderStream {
 public:
  // From this moment on.
  ReaderStream(ReaderRights rights, Ticks begin, PieceSink& sink);
  ReaderStream(const ReaderStream&) = delete;
  ReaderStream& operator=(const ReaderStream&) = delete;
  ~ReaderStream();

  // He has this CPU's blocks before the one of this number; their last entry is of this time.
  void go_on_from(CpuId cpu, std::uint64_t sequence, Ticks last);
  // Nothing is added behind a block that was not finished.
  void add(const FinishedBlock& block);
  // When all is added: every CPU has said who runs there.
  void finish();
  // What CPUs lost at the end and their blocks could not say.
  std::vector<OpenLoss> open_losses() const;

 private:
  struct Cpu;

  Cpu& cpu_of(CpuId id);
  void begin_anew(Cpu& cpu, const FinishedBlock& block, bool follows) const;
  void end_gap(Cpu& cpu, Ticks next_loss);
  void entry(Cpu& cpu, const decode::Entry& entry);
  void context_switch(Cpu& cpu, const decode::Entry& entry);
  void loss(Cpu& cpu, const decode::Entry& entry);
  void pass(Cpu& cpu, const decode::Entry& entry);
  void pass_own(Cpu& cpu, const decode::Entry& entry);
  bool is_wanted(const decode::Entry& entry) const;
  void know(Pid pid, std::uint32_t owner, Ticks time);
  Pid shown(const Cpu& cpu, Pid pid, std::uint32_t owner) const;
  void put(Cpu& cpu, Ticks time, std::uint64_t low44, std::span<const std::uint64_t> payload = {});
  bool may_put(Ticks time);
  static void begin_block(Cpu& cpu, Ticks time);
  void begin_first_block(Cpu& cpu) const;
  void write(Cpu& cpu, Ticks time, std::uint64_t low44, std::span<const std::uint64_t> payload);
  void write_loss(Cpu& cpu, Ticks time, Ticks since, Ticks until, std::uint64_t entries);
  void send_new(Cpu& cpu);

  const ReaderRights rights_;
  const Ticks begin_;
  std::map<CpuId, std::unique_ptr<Cpu>> cpus_;
  std::unordered_set<Pid> own_;  // threads that were seen to be his
  PieceSink& sink_;
  bool is_full_ = false;  // nothing is put until half of what waits is gone
  // Entries that were put, by second: CPUs come one after the other, each with its own time.
  std::map<std::uint64_t, std::uint64_t> by_second_;
};

}  // namespace kutrace::record
