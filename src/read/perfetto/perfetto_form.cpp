// SPDX-License-Identifier: BSD-3-Clause
// Events in the order of their times, made a raw trace.
#include "read/perfetto/perfetto_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/counted.h"
#include "format/event_table.h"
#include "format/perfetto_fields.h"
#include "kutrace/abi.h"
#include "read/import/imported.h"
#include "read/import/lowering.h"
#include "read/import/nobody.h"
#include "read/perfetto/cpu_runners.h"
#include "read/perfetto/ftrace_message.h"
#include "read/perfetto/perfetto_trace.h"
#include "read/perfetto/wire_fields.h"

namespace kutrace::read {

namespace {

constexpr Ns kNsPerUsec = 1000;

class PerfettoImport {
 public:
  explicit PerfettoImport(const MappedFile& file)
      : file_(file), blocks_(file.bytes().size()), trace_(blocks_.most_bytes()) {}

  Result<std::unique_ptr<TraceReader>> run() {
    KUTRACE_TRY(trace_.read(file_));
    if (trace_.events().empty()) {
      return fail(
          input_error("is a Perfetto trace without events of the kernel that can be used")
              .with_file(file_.name())
              .with_hint("record with the data source linux.ftrace and sched/sched_switch"));
    }
    runners_.emplace(trace_.holds(What::kSwitch));
    lowering_.emplace(options(), [this](std::uint64_t number, std::string_view bytes) {
      return blocks_.put(number, bytes);
    });
    declare();
    for (const FoundEvent& found : trace_.events()) KUTRACE_TRY(take(found));
    say();
    KUTRACE_TRY(lowering_->finish(trace_.events().back().time - shift_));
    Counters found = lowering_->found();
    const std::uint64_t bad = trace_.unreadable() + strange_;
    if (bad != 0) found.add(Counter::kEntryBadLength, bad);
    if (trace_.cut()) found.add(Counter::kFileCut);
    return std::move(blocks_).open(file_.name(), found);
  }

 private:
  // Times become those of CLOCK_MONOTONIC, where the trace tells of both clocks.
  Lowering::Options options() {
    const PerfettoTrace::Clocks& clocks = trace_.clocks();
    const bool is_known = clocks.boot && !trace_.has_unknown_clock();
    const Ns first = trace_.events().front().time;
    Lowering::Options options;
    options.most_cpus = blocks_.most_bytes() / KUTRACE_BLOCK_BYTES;
    options.source = "perfetto";
    options.machine = trace_.machine();
    options.is_monotonic = is_known && clocks.monotonic;
    if (options.is_monotonic) shift_ = *clocks.boot - *clocks.monotonic;
    options.begin = first - shift_;
    if (is_known && clocks.wall) {
      const Ns wall = *clocks.wall + (first - *clocks.boot);
      options.wall_usec = static_cast<std::uint64_t>(std::max<Ns>(0, wall) / kNsPerUsec);
    }
    return options;
  }

  void declare() {
    for (const CpuId cpu : trace_.cpus()) lowering_->has(cpu);
    for (std::size_t i = 0; i < static_cast<std::size_t>(What::kCount); ++i)
      if (trace_.holds(static_cast<What>(i))) lowering_->records(static_cast<What>(i));
    for (const auto& [pid, thread] : trace_.threads()) {
      Pid parent = thread.parent;
      if (parent == kNoPid && thread.process != kNoPid) {
        const auto process = trace_.threads().find(thread.process);
        if (process != trace_.threads().end()) parent = process->second.parent;
      }
      if (thread.process != kNoPid || parent != kNoPid)
        lowering_->belongs(pid, thread.process, parent);
    }
  }

  Status take(const FoundEvent& found) {
    KernelEvent event;
    event.time = found.time - shift_;
    event.cpu = found.cpu;
    switch (found.kind) {
      case FoundEvent::Kind::kLoss:
      case FoundEvent::Kind::kDamage:
        return lose(event, found.kind == FoundEvent::Kind::kLoss ? KUTRACE_LOSS_BUFFER_FULL
                                                                 : KUTRACE_LOSS_DAMAGED);
      case FoundEvent::Kind::kSwitch:
        event.what = What::kSwitch;
        event.numbers = {runners_->of(found.cpu), found.state, found.pid};
        event.set_text(1, text_of(found));
        break;
      case FoundEvent::Kind::kWaking:
        event.what = What::kWaking;
        event.numbers = {found.pid};
        event.set_text(0, text_of(found));
        break;
      case FoundEvent::Kind::kMessage:
        decode_ftrace_message(read_ftrace_message(found.bytes, trace_.rows()), event);
        break;
    }
    return push(event);
  }

  static std::string_view text_of(const FoundEvent& found) {
    return {reinterpret_cast<const char*>(found.bytes.data()), found.bytes.size()};
  }

  // A switch to a number that no thread has leads to nobody: who it is is not known.
  void doubt_switch(KernelEvent& event) {
    if (thread_number(static_cast<std::uint64_t>(event.numbers[0])) == kNotAThread)
      event.numbers[0] = kNoPid;
    if (event.pid == kNotAThread) event.pid = kNoPid;
    if (thread_number(static_cast<std::uint64_t>(event.numbers[2])) != kNotAThread) return;
    event.numbers[2] = kLostThread;
    ++strange_;
  }

  Status push(KernelEvent& event) {
    if (event.what == What::kSwitch) doubt_switch(event);
    const bool nobody = leads_to_nobody(event);
    if (nobody && runners_->of(event.cpu) == kNoPid) {
      runners_->nobody_runs(event.cpu);
      return {};
    }
    if (!runners_->settle(event)) return {};
    KUTRACE_TRY(lowering_->push(event));
    if (!nobody) return {};
    runners_->nobody_runs(event.cpu);
    return lowering_->lose(event.cpu, event.time, KUTRACE_LOSS_UNWRITTEN);
  }

  Status lose(const KernelEvent& event, unsigned reason) {
    runners_->runs(event.cpu, kNoPid);
    return lowering_->lose(event.cpu, event.time, reason);
  }

  void say() {
    NameEntries& names = lowering_->names();
    names.add_name(kind::kKERNEL_VERSION, 0, trace_.release());
    names.add(fact::kClock, clock());
    if (!trace_.service().empty()) names.add(fact::kHooks, "perfetto " + trace_.service());
    if (trace_.of_other_machines() != 0)
      names.add(fact::kUnseen,
                fmt::format("{} of events of other machines",
                            counted(trace_.of_other_machines(), "packet", "packets")));
    if (runners_->strangers() != 0) {
      names.add(fact::kUnseen,
                fmt::format("{} of threads that did not run where the trace has them",
                            counted(runners_->strangers(), "begin or end of a system call",
                                    "begins and ends of system calls")));
    }
    for (const auto& [pid, thread] : trace_.threads())
      if (!thread.name.empty()) lowering_->finally_called(pid, thread.name);
  }

  std::string clock() const {
    if (trace_.has_unknown_clock()) return "unknown";
    return shift_ != 0 || trace_.clocks().monotonic ? "mono" : "boot";
  }

  const MappedFile& file_;
  ImportedBlocks blocks_;
  PerfettoTrace trace_;
  std::optional<CpuRunners> runners_;
  std::optional<Lowering> lowering_;
  std::uint64_t strange_ = 0;  // switches
  Ns shift_ = 0;               // from the trace's clock to CLOCK_MONOTONIC
};

}  // namespace

const TraceForm kPerfettoForm = {is_perfetto_trace, open_imported<PerfettoImport>};

}  // namespace kutrace::read
