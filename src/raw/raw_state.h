// SPDX-License-Identifier: BSD-3-Clause
// What a raw trace says up to a moment, so that a piece of it can start there. In: a layout and a
// window in ticks; out: names, threads and the calls that they are in, what each CPU runs, what
// programs call their own numbers, and the losses that touch the window.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "format/facts.h"
#include "format/name_entries.h"
#include "raw/given_names.h"
#include "timeline/event_stream.h"
#include "timeline/meta_text.h"
#include "timeline/text_chunks.h"
#include "timeline/trace_layout.h"

namespace kutrace::raw {

// Counter times [begin, end) of a piece; `closed` at the recording's end, which is in the piece.
struct TickWindow {
  Ticks begin = 0;
  Ticks end = 0;
  bool closed = false;

  bool contains(Ticks time) const {
    return time >= begin && (time < end || (closed && time == end));
  }
};

// What of a loss is in the piece; nothing if none of it is.
std::optional<LossFacts> loss_in(const LossFacts& loss, const TickWindow& window);

// The return of a folded call that began before the piece.
struct LateReturn {
  Ticks time = 0;
  std::uint64_t low44 = 0;
  std::optional<LooseEntry> wide;  // stands before it
};

// A process runs for the first time in the piece: what it calls its own numbers is told there.
struct FirstRun {
  Ticks time = 0;  // of the switch to it
  Pid pid = 0;
  std::vector<LooseEntry> names;
};

// The state of a CPU at the begin of the piece.
struct CpuState {
  Ticks begin = 0;                  // from here on something is known of it
  Pid pid = 0;                      // thread running
  bool hidden = false;              // what it does is left out
  bool started = false;             // a block of it began before
  std::uint64_t asleep = 0;         // bits 43:0 of the mwait entry that it is asleep since, or 0
  std::uint64_t asleep_at_end = 0;  // likewise, at the end of the piece
  std::vector<LateReturn> returns;
  std::vector<LooseEntry> names;     // that the thread running tells
  std::vector<FirstRun> first_runs;  // of others, in the piece, which have names to tell
  WideFacts wide;                    // of the entry that comes next
  Ticks last = 0;                    // its last event in the whole trace
};

class RawState {
 public:
  // Reads the whole trace, for a piece with these CPUs (none: all). The layout must outlive this
  // object.
  RawState(const timeline::TraceLayout& layout, TickWindow window,
           const std::optional<std::unordered_set<CpuId>>& cpus = {});

  // Names, then threads, then losses, as they are at the begin of the window.
  std::vector<LooseEntry> entries() const;
  // Facts of the whole trace.
  Facts facts() const { return meta_.facts(); }
  // Texts of kind MAP, SYMBOL, STACK, COUNTER or PROCESS, of the whole trace.
  std::vector<std::string> code_texts(EventNum kind) const;
  const CpuState& cpu(CpuId cpu) const { return cpus_.at(cpu); }
  // The thread's name at the begin of the window; empty if it is not known.
  std::string name_of(Pid pid) const;

 private:
  // What is seen of a thread from the begin of the piece on: it runs, or another one has its
  // number.
  enum class Later : std::uint8_t { kNothing, kRuns, kReplaced };
  struct Task {
    TaskFacts facts;
    EventNum call = 0;   // system call it is in, or 0
    bool known = false;  // a TASK entry told of it
    bool exits = false;  // a point told that it ends
    Later later = Later::kNothing;
  };

  void push(const timeline::Event& event);
  void variable_length(const timeline::Event& event);
  bool keeps(CpuId cpu) const { return !kept_cpus_ || kept_cpus_->contains(cpu); }
  bool is_copied(const timeline::Event& event) const;
  void before_begin(const timeline::Event& event, CpuState& cpu);
  void task(const timeline::Event& event);
  void exits(const timeline::Event& event);
  void runs(Pid pid);
  bool is_over(const Task& task) const;
  void begin();
  std::string name_of(EventNum kind, std::uint32_t number) const;
  // The process that the thread is of runs for the first time in the piece: what it must tell.
  std::vector<LooseEntry> names_to_tell(CpuId cpu, Pid pid);
  void define(LooseEntry name);
  void lose(const LossFacts& loss);
  void settle(const timeline::CpuBlocks& blocks, CpuState& state);

  const timeline::TraceLayout& layout_;
  TickWindow window_;
  std::optional<std::unordered_set<CpuId>> kept_cpus_;
  bool own_source_;
  bool begun_ = false;
  GivenNames given_;
  std::set<Pid> told_;  // processes whose names are told, or that have none from before
  timeline::MetaText meta_;
  std::map<EventNum, timeline::TextChunks> code_;
  std::vector<LooseEntry> names_;
  std::map<std::pair<EventNum, std::uint32_t>, std::size_t> name_index_;
  std::map<Pid, Task> tasks_;
  std::map<CpuId, CpuState> cpus_;
  std::vector<LooseEntry> losses_;
};

}  // namespace kutrace::raw
