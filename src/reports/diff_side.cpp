// SPDX-License-Identifier: BSD-3-Clause
// Summing up by name.
#include "reports/diff_side.h"

#include <algorithm>

#include "base/add_time.h"
#include "model/thread_label.h"
#include "reports/syscalls.h"
#include "reports/wait_times.h"

namespace kutrace::reports {

namespace {

// What lasts, and is no state of a CPU.
bool is_compared(SpanKind kind) {
  return is_execution(kind) || kind == SpanKind::kWait || kind == SpanKind::kLockHeld ||
         kind == SpanKind::kLockWanted || kind == SpanKind::kQueued;
}

// Digits behind a slash are numbers of CPUs, workers and devices: "kworker/u8:3" is "kworker/u*:*".
std::string without_numbers(const std::string& name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return name;
  std::string text = name.substr(0, slash);
  for (std::size_t i = slash; i < name.size(); ++i) {
    const bool is_digit = name[i] >= '0' && name[i] <= '9';
    if (!is_digit) text += name[i];
    if (is_digit && text.back() != '*') text += '*';
  }
  return text;
}

std::string shown_name(const std::string& name) { return name_label(without_numbers(name)); }

}  // namespace

const char* diff_by_name(DiffBy by) {
  switch (by) {
    case DiffBy::kProgram:
      return "program";
    case DiffBy::kThread:
      return "thread";
    case DiffBy::kCall:
      return "call";
    case DiffBy::kWait:
      return "wait";
    case DiffBy::kKind:
      return "kind";
  }
  return "";
}

void DiffSums::add(const DiffSums& other) {
  kutrace::add_time(total, other.total);
  count += other.count;
  durations.merge(other.durations);
  blocks.merge(other.blocks);
  long_squares += other.long_squares;
}

void DiffSide::begin(const TraceInfo& known) {
  std::vector<TimeWindow> windows = {{known.begin, known.end}};
  if (!windows_.empty()) windows = tidy_windows(windows_, known.begin, known.end);
  known_ = length_of(windows);
  blocks_ = TimeBlocks(std::move(windows));
}

// A recorder that was killed may not have said when its recording ended. Then all that lies behind
// the end that was known is in the last block.
void DiffSide::end(TraceInfo& info) {
  for (Stay& stay : stays_) close(stay);
  who_.finish(info);
  std::vector<TimeWindow> windows = {{info.begin, info.end}};
  if (!windows_.empty()) windows = tidy_windows(windows_, info.begin, info.end);
  recorded_ = length_of(windows);
}

void DiffSide::add_time(DiffSums& sums, Ns start, Ns duration) {
  kutrace::add_time(sums.total, duration);
  const std::size_t only = blocks_.only(start, duration);
  if (only != TimeBlocks::kCount) {
    if (duration > 0) sums.blocks.add_time(only, duration);
    return;
  }
  blocks_.share(start, duration,
                [&sums](std::size_t block, Ns part) { sums.blocks.add_time(block, part); });
}

void DiffSide::add_count(DiffSums& sums, Ns start, Ns duration) {
  ++sums.count;
  sums.durations.add(duration);
  const std::size_t only = blocks_.only(start, 0);
  sums.blocks.add_count(only != TimeBlocks::kCount ? only : blocks_.at(start));
}

void DiffSide::add_both(DiffSums& sums, Ns start, Ns duration) {
  const std::size_t only = blocks_.only(start, duration);
  if (only == TimeBlocks::kCount) {
    add_time(sums, start, duration);
    return add_count(sums, start, duration);
  }
  kutrace::add_time(sums.total, duration);
  ++sums.count;
  sums.durations.add(duration);
  sums.blocks.add(only, duration);
}

void DiffSide::add_lasting(DiffSums& sums, Ns start, Ns duration) {
  add_both(sums, start, duration);
  if (duration <= blocks_.length()) return;
  const auto length = static_cast<double>(duration);
  sums.long_squares += length * length;
}

void DiffSide::push(const Span& span) {
  if (!is_compared(span.kind)) return;
  DiffSums& kind = kinds_[static_cast<std::size_t>(span.kind)];
  if (is_execution(span.kind)) {
    add_both(kind, span.start, span.duration);
    execution(span);
    return;
  }
  add_lasting(kind, span.start, span.duration);
  const auto letter = static_cast<std::size_t>(wait_letter(span.event) - 'a');
  if (span.kind == SpanKind::kWait && letter < waits_.size()) {
    add_lasting(waits_[letter], span.start, span.duration);
  }
}

void DiffSide::execution(const Span& span) {
  if (span.cpu >= stays_.size()) stays_.resize(span.cpu + std::size_t{1});
  Stay& stay = stays_[span.cpu];
  const bool has_thread =
      span.pid > 0 && span.kind != SpanKind::kLoss && span.kind != SpanKind::kHidden;
  if (!has_thread) return close(stay);
  const std::uint32_t row = who_.row(span.pid, span.thread);
  if (row >= threads_.size()) threads_.resize(row + std::size_t{1});
  if (stay.is_open && (stay.row != row || stay.end != span.start)) close(stay);
  if (!stay.is_open) stay = {true, row, span.start, span.start};
  stay.end = span.start + span.duration;
  add_time(threads_[row], span.start, span.duration);
}

void DiffSide::close(Stay& stay) {
  if (stay.is_open) add_count(threads_[stay.row], stay.begin, stay.end - stay.begin);
  stay.is_open = false;
}

void DiffSide::call(const Call& call) {
  calls_told_ = true;
  if (call.kind == SpanKind::kSyscall && is_birth(call, names_)) return;
  const auto [number, added] =
      call_numbers_.find_or_add(std::uint64_t{call.name} << 8 | static_cast<unsigned>(call.kind));
  if (added) calls_.push_back({call.kind, call.name, {}});
  add_lasting(calls_[number].sums, call.begin, call.duration());
}

// Only traces that tell of calls tell of lives.
void DiffSide::life(const ThreadLife& life) {
  calls_told_ = true;
  who_.life(life);
}

bool DiffSide::lost_cpu_time() const {
  const auto loss = static_cast<std::size_t>(SpanKind::kLoss);
  for (std::size_t i = 0; i < kExecutionKinds; ++i) {
    if (i != loss && kinds_[i].total != 0) return false;
  }
  return kinds_[loss].total != 0;
}

DiffRows DiffSide::rows(const TraceInfo& info) const {
  DiffRows rows;
  for (std::uint32_t row = 0; row < threads_.size(); ++row) {
    if (threads_[row].count == 0) continue;
    const auto add = [&](DiffBy by, const std::string& name) {
      rows[{by, SpanKind::kUser, shown_name(name)}].add(threads_[row]);
    };
    add(DiffBy::kProgram, who_.process_name(row, info));
    add(DiffBy::kThread, who_.name(row, info));
  }
  for (const CallSums& call : calls_) {
    rows[{DiffBy::kCall, call.kind, shown_name(names_.text(call.name))}].add(call.sums);
  }
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    if (waits_[i].count == 0) continue;
    rows[{DiffBy::kWait, SpanKind::kUser, std::string(1, static_cast<char>('a' + i))}].add(
        waits_[i]);
  }
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i].count == 0) continue;
    rows[{DiffBy::kKind, SpanKind::kUser, span_kind_name(static_cast<SpanKind>(i))}].add(kinds_[i]);
  }
  return rows;
}

}  // namespace kutrace::reports
