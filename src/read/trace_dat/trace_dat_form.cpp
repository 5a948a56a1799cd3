// SPDX-License-Identifier: BSD-3-Clause
// The CPUs' events, merged by time and made a raw trace.
#include "read/trace_dat/trace_dat_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "base/text.h"
#include "format/trace_clock.h"
#include "kutrace/abi.h"
#include "read/import/imported.h"
#include "read/import/lowering.h"
#include "read/trace_dat/cpu_events.h"
#include "read/trace_dat/dat_header.h"

namespace kutrace::read {

namespace {

constexpr unsigned kMostShift = 64;

class DatImport {
 public:
  explicit DatImport(const MappedFile& file)
      : file_(file), blocks_(file.bytes().size()), room_(blocks_.most_bytes()) {}

  Result<std::unique_ptr<TraceReader>> run() {
    KUTRACE_ASSIGN(header_, read_dat_header(file_, blocks_.most_bytes()));
    KUTRACE_TRY(must_know_clock());
    for (const DatHeader::CpuPages& pages : header_.cpus) begin_cpu(pages);
    if (queue_.empty()) {
      return fail(input_error("is a trace.dat without events that can be read")
                      .with_file(file_.name())
                      .with_hint("trace-cmd record -e sched -e raw_syscalls records some"));
    }
    Lowering lowering(options(), [this](std::uint64_t number, std::string_view bytes) {
      return blocks_.put(number, bytes);
    });
    KUTRACE_TRY(lower(lowering));
    say(lowering);
    KUTRACE_TRY(lowering.finish(last_));
    Counters found = lowering.found();
    std::uint64_t damaged = short_;
    for (const CpuEvents& events : cpus_) damaged += events.damaged_pages();
    if (damaged != 0) found.add(Counter::kEntryBadLength, damaged);
    if (header_.cut) found.add(Counter::kFileCut);
    return std::move(blocks_).open(file_.name(), found);
  }

 private:
  // Of cycles it must be known how long they are; a counter of events is no time at all.
  Status must_know_clock() const {
    const bool is_cycles = header_.clock == "x86-tsc" || header_.clock == "tsc2nsec";
    const bool is_known = !is_cycles || (header_.cycles && header_.cycles->shift < kMostShift);
    if (header_.clock != "counter" && is_known) return {};
    return fail(input_error(fmt::format("has times of the clock '{}', which are not nanoseconds",
                                        printable(header_.clock)))
                    .with_file(file_.name())
                    .with_hint("record with trace-cmd record -C mono"));
  }

  Ns time_of(const CpuEvents& events) const {
    std::uint64_t time = events.time();
    if (header_.cycles) {
      const CycleRate& rate = *header_.cycles;
      const UnsignedWide product = UnsignedWide{time} * rate.multiplier;
      time = static_cast<std::uint64_t>(product >> (rate.shift % kMostShift)) - rate.offset;
    }
    return static_cast<Ns>(std::min<std::uint64_t>(time, kLatest));
  }

  void begin_cpu(const DatHeader::CpuPages& pages) {
    cpus_.emplace_back(header_, pages, room_);
    if (cpus_.back().next()) enqueue(cpus_.size() - 1);
  }

  void enqueue(std::size_t i) {
    queue_.emplace_back(time_of(cpus_[i]), i);
    std::ranges::push_heap(queue_, std::greater());
  }

  Lowering::Options options() const {
    Lowering::Options options;
    options.most_cpus = blocks_.most_bytes() / KUTRACE_BLOCK_BYTES;
    options.source = "trace-cmd";
    options.begin = queue_.front().first;
    options.is_monotonic = header_.clock == "mono";
    const std::string_view uname = header_.uname;
    options.machine = uname.substr(uname.rfind(' ') + 1);
    return options;
  }

  Status lower(Lowering& lowering) {
    for (const CpuEvents& events : cpus_) lowering.has(events.cpu());
    while (!queue_.empty()) {
      std::ranges::pop_heap(queue_, std::greater());
      const auto [time, i] = queue_.back();
      queue_.pop_back();
      KUTRACE_TRY(lower_next(lowering, i, time));
    }
    // What was lost at a CPU's end lasts until the end of all.
    for (const CpuEvents& events : cpus_)
      if (events.lost()) KUTRACE_TRY(lose(lowering, events, last_));
    return header_.cut ? lowering.lose_rest(last_) : Status();
  }

  static Status lose(Lowering& lowering, const CpuEvents& events, Ns until) {
    return lowering.lose(
        events.cpu(), until, events.was_damaged() ? KUTRACE_LOSS_DAMAGED : KUTRACE_LOSS_BUFFER_FULL,
        events.lost_count() != 0 ? events.lost_count() : KUTRACE_LOSS_UNKNOWN_COUNT);
  }

  // The next event of a CPU, and what was lost in front of it.
  Status lower_next(Lowering& lowering, std::size_t i, Ns time) {
    CpuEvents& events = cpus_[i];
    last_ = std::max(last_, time);
    if (events.lost()) KUTRACE_TRY(lose(lowering, events, time));
    KernelEvent event;
    event.time = time;
    event.cpu = events.cpu();
    const RawEvents::Found found = header_.events.decode(events.event(), event);
    if (found == RawEvents::Found::kUsed) KUTRACE_TRY(lowering.push(event));
    if (found == RawEvents::Found::kTooShort) {
      ++short_;
      KUTRACE_TRY(lowering.lose(event.cpu, time, KUTRACE_LOSS_DAMAGED));
    }
    if (events.next()) enqueue(i);
    return {};
  }

  void say(Lowering& lowering) const {
    NameEntries& names = lowering.names();
    if (!header_.clock.empty()) names.add(fact::kClock, header_.clock);
    if (!header_.recorder.empty()) names.add(fact::kHooks, "trace-cmd " + header_.recorder);
    if (!header_.uname.empty()) names.add(fact::kUname, header_.uname);
    if (header_.other_recordings != 0) {
      names.add(fact::kUnseen, fmt::format("{} other buffers of the file, which were not read",
                                           header_.other_recordings));
    }
    std::string_view text = header_.last_names;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      const std::size_t blank = line.find(' ');
      const auto pid = parse_number<Pid>(line.substr(0, blank));
      if (pid && blank != line.npos) lowering.finally_called(*pid, line.substr(blank + 1));
    }
  }

  const MappedFile& file_;
  ImportedBlocks blocks_;
  std::uint64_t room_;  // for unpacked pages
  DatHeader header_;
  std::vector<CpuEvents> cpus_;
  std::vector<std::pair<Ns, std::size_t>> queue_;  // a heap: the next event of each CPU
  std::uint64_t short_ = 0;                        // events
  Ns last_ = 0;
};

}  // namespace

const TraceForm kTraceDatForm = {is_trace_dat, open_imported<DatImport>};

}  // namespace kutrace::read
