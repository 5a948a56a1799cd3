// SPDX-License-Identifier: BSD-3-Clause
// Records, sorted and made a raw trace.
#include "read/perf_data/perf_data_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/wide.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "read/import/imported.h"
#include "read/import/lowering.h"
#include "read/perf_data/perf_header.h"
#include "read/perf_data/perf_order.h"
#include "read/perf_data/perf_records.h"

namespace kutrace::read {

namespace {

class PerfImport {
 public:
  explicit PerfImport(const MappedFile& file)
      : file_(file),
        blocks_(file.bytes().size()),
        order_([this](const PerfItem& item) { return take(item); }) {}

  Result<std::unique_ptr<TraceReader>> run() {
    KUTRACE_ASSIGN(header_, read_perf_header(file_));
    PerfRecords records(header_,
                        {[this](const PerfItem& item) { return order_.push(item); },
                         [this] { return order_.end_of_round(); }},
                        blocks_.most_bytes());
    KUTRACE_TRY(records.read());
    KUTRACE_TRY(order_.finish());
    if (!lowering_ || !tells_time_and_cpu()) return fail(nothing_usable());
    say(records);
    const bool is_cut = records.cut() || header_.cut;
    if (is_cut) KUTRACE_TRY(lowering_->lose_rest(last_));
    KUTRACE_TRY(lowering_->finish(last_));
    Counters found = lowering_->found();
    if (records.unreadable() != 0) found.add(Counter::kEntryBadLength, records.unreadable());
    if (is_cut) found.add(Counter::kFileCut);
    return std::move(blocks_).open(file_.name(), found);
  }

 private:
  bool tells_time_and_cpu() const {
    return std::ranges::any_of(header_.attrs, &PerfAttr::has_time_and_cpu);
  }

  Error nothing_usable() const {
    const char* const sentence = tells_time_and_cpu()
                                     ? "is a perf.data without an event that can be used"
                                     : "is a perf.data whose events do not tell time and CPU";
    return input_error(sentence)
        .with_file(file_.name())
        .with_hint(
            "perf record -a -e sched:sched_switch,raw_syscalls:* records what is needed; "
            "for samples alone, perf record -a, or --sample-cpu");
  }

  // Null: it is none that is used.
  const Tracepoint* tracepoint_of(const PerfAttr& attr) const {
    if (attr.kind != PerfAttr::Kind::kTracepoint || attr.config > 0xffff) return nullptr;
    return header_.events.kind_of(static_cast<std::uint16_t>(attr.config));
  }

  // Where tracepoints tell of switches, or of new threads, perf's own records of them are second.
  bool has_tracepoint(What what) const {
    return std::ranges::any_of(header_.attrs, [&](const PerfAttr& attr) {
      const Tracepoint* const row = tracepoint_of(attr);
      return row != nullptr && row->what == what;
    });
  }

  void begin(Ns time) {
    Lowering::Options options;
    options.most_cpus = blocks_.most_bytes() / KUTRACE_BLOCK_BYTES;
    options.source = "perf";
    options.machine = header_.machine;
    options.begin = time;
    options.is_monotonic = header_.clock && header_.clock->clock == CLOCK_MONOTONIC;
    if (header_.clock) {
      const Wide wall = Wide{header_.clock->wall_ns} + time - header_.clock->clock_ns;
      options.wall_usec = static_cast<std::uint64_t>(std::clamp<Wide>(wall, 0, kLatest) / 1000);
    }
    lowering_.emplace(std::move(options), [this](std::uint64_t number, std::string_view bytes) {
      return blocks_.put(number, bytes);
    });
    switches_by_tracepoint_ = has_tracepoint(What::kSwitch);
    for (const PerfAttr& attr : header_.attrs) declare(attr);
    for (const PerfItem& item : early_) tell(item);
    early_.clear();
  }

  void declare(const PerfAttr& attr) {
    switch (attr.kind) {
      case PerfAttr::Kind::kTracepoint:
        if (const Tracepoint* const row = tracepoint_of(attr)) lowering_->records(row->what);
        break;
      case PerfAttr::Kind::kSamples:
        lowering_->records(What::kSample);
        break;
      case PerfAttr::Kind::kMinorFaults:
      case PerfAttr::Kind::kMajorFaults:
        lowering_->records(What::kFaultReturn);
        break;
      default:
        break;
    }
    if (attr.tells_switches) lowering_->records(What::kSwitch);
  }

  // What holds without a moment.
  void tell(const PerfItem& item) {
    const KernelEvent& event = item.event;
    if (item.kind == PerfItem::Kind::kBelongs) {
      lowering_->belongs(event.number_as_pid(0), event.number_as_pid(1), event.number_as_pid(2));
    } else if (event.what == What::kRename) {
      lowering_->name(event.number_as_pid(0), event.text(1));
    }
  }

  Status take(const PerfItem& item) {
    const KernelEvent& event = item.event;
    if (event.time == 0 && !lowering_) {
      if (early_.size() >= blocks_.most_bytes() / sizeof(PerfItem)) return fail(blocks_.too_much());
      early_.push_back(item);
      return {};
    }
    if (!lowering_) begin(event.time);
    last_ = std::max(last_, event.time);
    if (item.kind == PerfItem::Kind::kLoss)
      return lowering_->lose(event.cpu, event.time, KUTRACE_LOSS_BUFFER_FULL, item.lost);
    if (event.time == 0 || item.kind == PerfItem::Kind::kBelongs) {
      tell(item);
      return {};
    }
    const bool is_second = event.what == What::kSwitch && item.of_perf && switches_by_tracepoint_;
    if (is_second) return {};
    if (!item.of_perf) traced_.insert(event.cpu);
    if (!switches_by_tracepoint_ || traced_.contains(event.cpu)) return lowering_->push(event);
    // Before the first tracepoint of its CPU switches are not recorded: who runs may change unseen.
    KernelEvent nobodys = event;
    nobodys.pid = kNoPid;
    return lowering_->push(nobodys);
  }

  void say(const PerfRecords& records) {
    NameEntries& names = lowering_->names();
    names.add_name(kind::kKERNEL_VERSION, 0, header_.release);
    names.add_name(kind::kHOST_NAME, 0, header_.host);
    if (!header_.host.empty() && !header_.release.empty() && !header_.machine.empty())
      names.add(fact::kUname,
                fmt::format("Linux {} {} {}", header_.host, header_.release, header_.machine));
    names.add_name(kind::kCPU_MODEL, 0, header_.cpu_model);
    if (!header_.version.empty()) names.add(fact::kHooks, "perf " + header_.version);
    if (!header_.command_line.empty()) names.add(fact::kCommandLine, header_.command_line);
    if (records.lost_samples() != 0) {
      names.add(fact::kUnseen, fmt::format("{} that were lost, nobody knows when",
                                           counted(records.lost_samples(), "event", "events")));
    }
  }

  const MappedFile& file_;
  ImportedBlocks blocks_;
  PerfHeader header_;
  PerfOrder order_;
  std::optional<Lowering> lowering_;
  std::vector<PerfItem> early_;  // of time 0, before the first event
  bool switches_by_tracepoint_ = false;
  std::unordered_set<CpuId> traced_;  // that had a tracepoint
  Ns last_ = 0;
};

}  // namespace

const TraceForm kPerfDataForm = {is_perf_data, open_imported<PerfImport>};

}  // namespace kutrace::read
