// SPDX-License-Identifier: BSD-3-Clause
// The border behind which nobody knows who records: a source fills 64 KiB blocks, one CPU's each,
// and hands them over when they are finished. Blocks travel in a circle: what is not released is
// not written again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/event_groups.h"
#include "format/process_text.h"
#include "format/symbol_text.h"
#include "record/blocks/clock.h"
#include "record/blocks/finished_block.h"
#include "record/proc/call_time.h"
#include "record/source/call_choice.h"
#include "record/source/mark_listener.h"
#include "record/source/packet_filter.h"
#include "record/source/probed_function.h"
#include "record/source/skipped_runs.h"
#include "record/source/stopwatch.h"
#include "record/source/thread_filter.h"

namespace kutrace::record {

enum class RecordMode { kFill, kWrap, kStream };
enum class SourceKind { kEbpf, kModule, kDaemon };

std::string_view name_of(RecordMode mode);
std::string_view name_of(SourceKind kind);

constexpr std::uint32_t kBlocksPerMb = (1u << 20) / KUTRACE_BLOCK_BYTES;

struct SourceOptions {
  RecordMode mode = RecordMode::kStream;
  EventGroups groups = EventGroups::standard();
  ThreadFilter filter;
  // Where a source is read by several, who asked leaves out at the end what the filter does.
  bool filter_at_end = false;
  CallChoice arguments;
  bool stacks = false;  // of samples and of threads that are switched away
  PacketFilter packets;
  std::vector<ProbedFunction> functions;
  std::uint32_t blocks = 1024;
  std::uint32_t sample_hz = 0;  // 0: no samples
  bool merge = true;
  bool fault_return = true;
  bool group_moves = true;  // are asked for, as long as it records
  unsigned counters = 0;    // KUTRACE_FLAG_IPC, KUTRACE_FLAG_LLC
  // Several users read it: entries say whose threads are (kutrace/owners.h), and of `groups` only
  // context switches are recorded until switch_groups() says more.
  bool owners = false;
  // Of the kernel module: it joins what is recorded already (can_join()), and others may join it
  // (can_share()).
  bool shared = false;
  std::string daemon_socket;  // of the daemon that records, if one does
};

// Whether it wants what happens everywhere, or what is chosen of that at the end, and nothing
// beside it.
bool can_join(const SourceOptions& options);
// Whether others may join it: it leaves out nothing besides.
bool can_share(const SourceOptions& options);

// Entries that a CPU lost and could not write down because it got no block any more.
struct OpenLoss {
  CpuId cpu = 0;
  kutrace_loss_reason reason = KUTRACE_LOSS_BUFFER_FULL;
  Ticks begin = 0;
  std::uint64_t entries = 0;
};

// Other groups of events are recorded than before.
struct GroupSwitch {
  Ticks at = 0;                      // see Source::switch_groups
  std::vector<std::string> lacking;  // what was asked for, and this kernel cannot show
};

// What a source lets its reader have of what it asked for.
struct SourceShare {
  EventGroups groups;
  CallChoice arguments;
};

class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view clock_name() const = 0;
  virtual TickRate tick_rate() const = 0;
  virtual Ticks now() const = 0;
  virtual ClockReading read_clocks() const = 0;
  virtual const std::vector<CpuId>& cpus() const = 0;

  // Records this CPU for a moment, throws it away, and returns what a system call took meanwhile.
  virtual Result<CallTime> time_recorded_call() = 0;
  // Of processes of the filter, by the kernel's numbers: what they are to it (KUTRACE_PROCESS_...),
  // or that they are nothing to it any more (0). Without a filter that follows there is nothing to
  // tell.
  virtual Status tell_processes(std::span<const std::uint32_t> processes, unsigned what) = 0;
  // Of other system calls than before the arguments are recorded, if it was opened with some.
  virtual Status choose_arguments(const CallChoice& choice) = 0;
  // Of a source with owners. The number that threads have in entries from here on into which this
  // user, as this group, may look. It is his until it is forgotten.
  virtual Result<std::uint32_t> number_user(std::uint32_t uid, std::uint32_t gid);
  // Nobody has that number from here on, until another user is given it: whoever reads then must
  // not look at what lies before.
  virtual Status forget_user(std::uint32_t number);
  // Whether it shows what threads of this user do, and of all others nothing but that they run.
  virtual bool shows_own_only() const { return false; }
  // Whether what the filter leaves out is in its blocks all the same: they are of several who read.
  virtual bool leaves_filter_to_end() const { return false; }
  // Starts every CPU; the first entries of each say what it was doing.
  virtual Status start() = 0;
  // The block that a CPU writes to, as far as it is known; none if it has none.
  virtual std::optional<FinishedBlock> open_block(CpuId cpu) const = 0;
  // Records these groups from now on. Until `at` all of those is recorded that were before, from
  // `at` on all that are now. What fails changes nothing.
  virtual Result<GroupSwitch> switch_groups(const EventGroups& groups);
  // Returns when whatever was writing an entry at the call has stored it. Takes some milliseconds;
  // any thread may wait.
  virtual void wait_for_writers() const = 0;
  // Takes what CPUs finished, except blocks in which a claimed entry is not yet stored.
  virtual Status collect(std::vector<FinishedBlock>& out) = 0;
  virtual void release(const FinishedBlock& block) = 0;
  // Gives CPUs free blocks. False if they are running out of them.
  virtual bool supply() = 0;
  // How many blocks must be released so that supply() can do its work.
  virtual std::uint32_t wanted() = 0;
  // Whether a CPU found no free block, and there is none to give to it.
  virtual bool is_full() const = 0;
  // Becomes readable when blocks are finished; -1 if there is no such thing.
  virtual int wake_fd() const { return -1; }
  // Which of the counters that were asked for it has: every block then has a trailer.
  virtual unsigned counters() const { return 0; }
  // Of what it was opened with, all; of what is asked of a daemon, what that gives.
  virtual SourceShare share_of(const SourceOptions& asked) const {
    return {asked.groups, asked.arguments};
  }
  // Why the source itself ended the recording; empty if it did not.
  virtual std::string ended_by() const { return {}; }

  // Ends the recording: until after the returned time every CPU records.
  virtual Result<Ticks> halt() = 0;
  // Appends all blocks that are left, in no order. Nothing is written to them any more.
  virtual Status drain(std::vector<FinishedBlock>& left) = 0;
  // Takes the hooks off, which takes a while; they go with the source in any case.
  virtual void detach() {}
  virtual std::vector<OpenLoss> open_losses() const = 0;
  // Flight recorder of the source itself: entries in blocks that it overwrote.
  virtual std::uint64_t discarded() const { return 0; }
  // Blocks that are not free and have not been handed over, as far as it is known.
  virtual std::uint32_t blocks_used() const { return 0; }
  // Runs of hooks that the kernel skipped until now, or until halt(): of each hook that missed
  // some.
  virtual std::vector<SkippedRuns> skipped_runs() { return {}; }

  // Stacks that entries name by number, if they are recorded; known after drain().
  virtual std::vector<StackRecord> stacks() const { return {}; }

  // Whether it tells when a process moves to another control group, or begins in another one than
  // its parent.
  virtual bool tells_group_moves() const { return false; }
  // Those since the last time.
  virtual std::vector<CgroupRecord> group_moves() { return {}; }

  // How the kernel calls the source: "patch", "tracepoints", or which of them where.
  virtual std::string hooks() const { return "tracepoints"; }
  // Whether page faults have returns; without them they are moments.
  virtual bool has_fault_returns() const = 0;
  // What this kernel cannot show: one line each.
  virtual const std::vector<std::string>& unseen() const = 0;
  // What it may show, but was not asked for.
  virtual const std::vector<std::string>& switched_off() const = 0;
  // The part of unseen() that was asked for.
  virtual const std::vector<std::string>& lacking() const = 0;
  // What could not be recorded, known at the end.
  virtual std::vector<std::string> missed() const = 0;

  // How long the parts of opening it took.
  const std::vector<Part>& opening() const { return opening_.parts(); }

 protected:
  // As long as the source lives programs know that marks by these carriers are heard. Returns whose
  // marks are not, in one line; empty: all are, or system calls are not recorded at all.
  std::string hear_marks(const EventGroups& groups, std::uint32_t carriers);
  // The same where groups are switched while it records: marks are heard as long as system calls
  // are recorded.
  std::string hear_marks_after(const EventGroups& before, const EventGroups& now,
                               std::uint32_t carriers);
  // To be called when it begins to record, and often from then on.
  void ask_for_names() {
    if (mark_listener_) mark_listener_->beat();
  }
  void keep_names_coming() {
    if (mark_listener_) mark_listener_->keep_time();
  }

  Stopwatch opening_;

 private:
  std::optional<MarkListener> mark_listener_;
};

}  // namespace kutrace::record
