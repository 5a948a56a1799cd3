// SPDX-License-Identifier: BSD-3-Clause
// Line by line, made a raw trace. The lines are gone through twice: first for the time at which all
// begins, as lines of several CPUs need not be in order.
#include "read/event_text/event_text_form.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/counted.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "read/event_text/event_line.h"
#include "read/event_text/event_patterns.h"
#include "read/event_text/text_header.h"
#include "read/import/imported.h"
#include "read/import/lowering.h"
#include "read/import/tracepoints.h"

namespace kutrace::read {

namespace {

constexpr std::size_t kLongestLine = 4096;
constexpr std::size_t kLookAtBytes = std::size_t{1} << 16;
constexpr unsigned kMostOtherLines = 100;  // before the first event

// Takes it from the front, without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// System calls that are recorded one by one are printed in a form of their own each.
const Tracepoint* tracepoint_of(const EventLine& line) {
  const Tracepoint* const found = find_tracepoint(line.event);
  return found != nullptr && found->name == line.event ? found : nullptr;
}

// Nothing: it is too long for an event.
std::optional<EventLine> event_in(std::string_view line) {
  return line.size() > kLongestLine ? std::nullopt : parse_event_line(line);
}

class TextImport {
 public:
  explicit TextImport(const MappedFile& file) : file_(file), blocks_(file.bytes().size()) {}

  Result<std::unique_ptr<TraceReader>> run() {
    look_through();
    if (first_ > last_) {
      return fail(input_error("is text without an event of the kernel that can be used")
                      .with_file(file_.name())
                      .with_hint("sched_switch and raw_syscalls are what is needed"));
    }
    lowering_.emplace(options(), [this](std::uint64_t number, std::string_view bytes) {
      return blocks_.put(number, bytes);
    });
    for (std::string_view text = as_text(file_); !text.empty();) KUTRACE_TRY(take(take_line(text)));
    for (const auto& [cpu, lost] : lost_)
      KUTRACE_TRY(lowering_->lose(cpu, last_, KUTRACE_LOSS_BUFFER_FULL, lost));
    say();
    KUTRACE_TRY(lowering_->finish(last_));
    Counters found = lowering_->found();
    if (unreadable_ != 0) found.add(Counter::kEntryBadLength, unreadable_);
    return std::move(blocks_).open(file_.name(), found);
  }

 private:
  void look_through() {
    for (std::string_view text = as_text(file_); !text.empty();) {
      const std::string_view line = take_line(text);
      if (line.starts_with('#')) header_.add(line);
      const auto event = event_in(line);
      if (!event) continue;
      // Lines of a CPU are in order: one that is earlier than its first has a wrong time.
      if (tracepoint_of(*event) != nullptr && begun_cpus_.insert(event->cpu).second)
        first_ = std::min(first_, event->time);
      last_ = std::max(last_, event->time);
      below_usec_ = below_usec_ || event->below_usec;
    }
  }

  Lowering::Options options() const {
    Lowering::Options options;
    options.most_cpus = blocks_.most_bytes() / KUTRACE_BLOCK_BYTES;
    options.source = "text";
    options.machine = header_.machine;
    options.begin = first_;
    options.is_monotonic = header_.is_monotonic;
    return options;
  }

  Status take(std::string_view line) {
    if (const auto event = event_in(line)) {
      begun_ = true;
      return take(*event);
    }
    if (const auto loss = parse_loss_line(line)) {
      std::uint64_t& lost = lost_.try_emplace(loss->cpu, 0).first->second;
      const bool is_known = loss->count && lost != KUTRACE_LOSS_UNKNOWN_COUNT;
      lost = is_known ? lost + *loss->count : KUTRACE_LOSS_UNKNOWN_COUNT;
      return {};
    }
    // Headers come first; stacks of calls are indented by a tab.
    const bool is_other = line.empty() || line.starts_with('#') || line.starts_with('\t');
    if (begun_ && !is_other) ++unreadable_;
    return {};
  }

  Status take(const EventLine& line) {
    if (line.pid > 0 && line.thread != "<...>") names_.try_emplace(line.pid, line.thread);
    if (const auto lost = lost_.find(line.cpu); lost != lost_.end()) {
      KUTRACE_TRY(lowering_->lose(line.cpu, line.time, KUTRACE_LOSS_BUFFER_FULL, lost->second));
      lost_.erase(lost);
    }
    const Tracepoint* const tracepoint = tracepoint_of(line);
    if (tracepoint == nullptr) return {};
    KernelEvent event;
    event.time = line.time;
    event.cpu = line.cpu;
    event.pid = line.pid;
    if (parse_event_text(tracepoint->what, line.text, event)) return lowering_->push(event);
    ++unreadable_;
    return {};
  }

  void say() {
    NameEntries& names = lowering_->names();
    names.add_name(kind::kKERNEL_VERSION, 0, header_.release);
    names.add_name(kind::kHOST_NAME, 0, header_.host);
    if (header_.overwritten != 0) names.add(fact::kDiscardedEvents, header_.overwritten);
    if (!below_usec_) names.add(fact::kUnseen, std::string("times below a microsecond"));
    if (unreadable_ != 0)
      names.add(fact::kUnseen, counted(unreadable_, "line", "lines") + " that could not be read");
    for (const auto& [pid, name] : names_) lowering_->finally_called(pid, name);
  }

  const MappedFile& file_;
  ImportedBlocks blocks_;
  TextHeader header_;
  std::optional<Lowering> lowering_;
  std::map<CpuId, std::uint64_t> lost_;              // events before the next one
  std::unordered_map<Pid, std::string_view> names_;  // of threads, as lines begin
  std::set<CpuId> begun_cpus_;
  Ns first_ = std::numeric_limits<Ns>::max();
  Ns last_ = 0;
  bool below_usec_ = false;
  bool begun_ = false;
  std::uint64_t unreadable_ = 0;
};

// Text in which an event comes soon.
bool is_event_text(std::string_view bytes) {
  if (!begins_as_text(bytes)) return false;
  std::string_view front = bytes.substr(0, kLookAtBytes);
  if (front.starts_with("# tracer:") || front.starts_with("# ========\n# captured on")) return true;
  for (unsigned others = 0; !front.empty() && others < kMostOtherLines;) {
    const std::string_view line = take_line(front);
    if (event_in(line)) return true;
    if (!line.starts_with('#')) ++others;
  }
  return false;
}

}  // namespace

const TraceForm kEventTextForm = {is_event_text, open_imported<TextImport>};

}  // namespace kutrace::read
