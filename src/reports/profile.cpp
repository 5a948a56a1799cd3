// SPDX-License-Identifier: BSD-3-Clause
// Summing per row and name.
#include "reports/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/add_time.h"
#include "format/ipc_scale.h"
#include "kutrace/abi.h"
#include "model/rpc_names.h"

namespace kutrace::reports {

namespace {

bool executes(SpanKind kind) { return is_execution(kind) && profile_rank(kind) <= 1; }

bool is_of_thread(SpanKind kind) {
  return kind == SpanKind::kWait || kind == SpanKind::kLockHeld || kind == SpanKind::kLockWanted;
}

bool is_of_cpu(SpanKind kind) {
  return is_execution(kind) || kind == SpanKind::kSample || kind == SpanKind::kFrequency;
}

void sort_cells(std::vector<ProfileCell>& cells) {
  std::sort(cells.begin(), cells.end(), [](const ProfileCell& a, const ProfileCell& b) {
    return std::tuple(profile_rank(a.kind), -a.total, a.name) <
           std::tuple(profile_rank(b.kind), -b.total, b.name);
  });
}

void sort_rows(std::vector<ProfileRow>& rows) {
  std::sort(rows.begin(), rows.end(), [](const ProfileRow& a, const ProfileRow& b) {
    if (a.of != b.of) return a.of < b.of;
    if (a.of == ProfileOf::kCpus) return a.id < b.id;
    return std::tie(a.base, a.elapsed, a.id) < std::tie(b.base, b.elapsed, b.id);
  });
}

}  // namespace

int profile_rank(SpanKind kind) {
  switch (kind) {
    case SpanKind::kUser:
    case SpanKind::kKernelThread:
      return 0;
    case SpanKind::kSample:
      return 2;
    case SpanKind::kLockHeld:
      return 3;
    case SpanKind::kWait:
      return 4;
    case SpanKind::kFrequency:
      return 5;
    case SpanKind::kLockWanted:
      return 6;
    case SpanKind::kIdle:
    case SpanKind::kIdleLowPower:
    case SpanKind::kCExit:
      return 7;
    case SpanKind::kHidden:
      return 8;
    case SpanKind::kLoss:
      return 9;
    default:
      return 1;
  }
}

const char* profile_of_name(ProfileOf of) {
  switch (of) {
    case ProfileOf::kCpus:
      return "cpu";
    case ProfileOf::kThreads:
      return "thread";
    case ProfileOf::kRpcs:
      return "rpc";
  }
  return "unknown";
}

double ProfileCell::mean() const {
  if (durations.count() == 0) return 0;
  return static_cast<double>(lasted) / static_cast<double>(durations.count());
}

Profile::Row& Profile::Rows::at(std::uint32_t id) {
  const auto [number, added] = index.find_or_add(id);
  if (added) rows.emplace_back(id, Row{});
  return rows[number].second;
}

void Profile::push(const Span& span) {
  if (names_rpc(span)) rpc_names_.try_emplace(rpc_of_name(span), span.name);
  const bool execution = is_execution(span.kind);
  if (span.cpu != kNoCpu && is_of_cpu(span.kind)) add(cpus_.at(span.cpu), span);
  if (!execution && !is_of_thread(span.kind) && span.kind != SpanKind::kSample) return;
  if (span.pid > 0) add(row_of(span.pid, span.thread), span);
  if (span.rpc > 0) add(rpcs_.at(span.rpc), span);
}

void Profile::call(const Call& call) {
  if (call.cpu != kNoCpu) add(cpus_.at(call.cpu), call);
  if (call.pid > 0) add(row_of(call.pid, call.thread), call);
}

void Profile::life(const ThreadLife& life) {
  if (life.executing != 0 || life.waiting != 0) row_of(life.pid, life.thread).lived = life.name;
}

Profile::Row& Profile::row_of(Pid pid, ThreadId thread) {
  const std::uint32_t row = thread_rows_.index(pid, thread);
  if (row == threads_.size()) threads_.emplace_back();
  return threads_[row];
}

void Profile::add(Row& row, const Call& call) {
  Cell& cell = cell_of(row, call.kind, call.event, call.name, 0);
  cell.calls.add(call.duration());
  add_time(cell.lasted, call.duration());
  add_time(cell.calls_on_cpu, call.on_cpu);
  add_time(cell.calls_blocked, call.blocked);
}

Profile::Cell& Profile::cell_of(Row& row, SpanKind kind, EventNum event, NameId name,
                                std::uint32_t arg) {
  const Key key{std::uint64_t{name} << 8 | static_cast<std::uint64_t>(kind), arg};
  const auto [number, added] = row.index.find_or_add(key);
  if (added) {
    Cell& cell = row.cells.emplace_back();
    cell.kind = kind;
    cell.event = event;
    cell.arg = arg;
    cell.name = name;
  }
  return row.cells[number];
}

void Profile::add(Row& row, const Span& span) {
  const std::uint32_t arg = span.kind == SpanKind::kFrequency ? span.low_arg() : 0;
  Cell& cell = cell_of(row, span.kind, span.event, span.name, arg);
  add_time(cell.total, span.duration);
  cell.pieces.add(span.duration);
  const auto time = static_cast<double>(span.duration);
  cell.ipc_time += kIpcMiddles[span.ipc & 15u] * time;
  cell.both_ipc_time += kIpcMiddles[(span.ipc & 12u) + 1] * time;

  const bool lasts = is_execution(span.kind) || span.kind == SpanKind::kWait;
  if (!lasts) return;
  const Ns end = span.start + span.duration;
  row.first = row.any ? std::min(row.first, span.start) : span.start;
  row.last = row.any ? std::max(row.last, end) : end;
  row.any = true;
  if (is_user(span.kind)) row.name = span.name;
}

ProfileCell Profile::finished(ProfileOf of, const Cell& cell, const TraceInfo& info) const {
  ProfileCell out;
  out.kind = cell.kind;
  out.event = cell.event;
  out.name = names_.text(cell.name);
  if (cell.kind == SpanKind::kFrequency) out.name = fmt::format("{}_{}", out.name, cell.arg);
  if (cell.kind == SpanKind::kLockWanted) out.name.insert(0, "~");
  out.total = cell.total;
  out.pieces = cell.pieces.count();
  out.is_calls = of != ProfileOf::kRpcs && cell.calls.count() != 0;
  out.durations = out.is_calls ? cell.calls : cell.pieces;
  out.lasted = out.is_calls ? cell.lasted : cell.total;
  out.calls_on_cpu = cell.calls_on_cpu;
  out.calls_blocked = cell.calls_blocked;
  if ((info.flags & KUTRACE_FLAG_IPC) != 0 && is_execution(cell.kind) && cell.total > 0) {
    const bool both = (info.flags & KUTRACE_FLAG_LLC) != 0;
    out.ipc = (both ? cell.both_ipc_time : cell.ipc_time) / 16 / static_cast<double>(cell.total);
  }
  return out;
}

// "sink" of "sink.1234".
std::string Profile::method_of(std::uint32_t rpc) const {
  const auto found = rpc_names_.find(rpc_id(rpc));
  if (found == rpc_names_.end()) return "rpc";
  const std::string& name = names_.text(found->second);
  const std::string ending = fmt::format(".{}", rpc_id(rpc));
  return name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) : name;
}

// What is known of a number at the end is of the last thread that had it.
std::string Profile::base_of(std::uint32_t thread, const TraceInfo& info) const {
  const Row& row = threads_[thread];
  if (!thread_rows_.is_last(thread)) {
    return names_.text(row.lived != kNoName ? row.lived : row.name);
  }
  const auto found = info.threads.find(thread_rows_.at(thread).pid);
  const bool known = found != info.threads.end() && found->second.name != kNoName;
  return names_.text(known ? found->second.name : row.name);
}

ProfileRow Profile::finished(ProfileOf of, std::int64_t id, const std::string& base, const Row& row,
                             const TraceInfo& info) const {
  ProfileRow out;
  out.of = of;
  out.id = id;
  out.elapsed = row.last - row.first;
  for (const Cell& cell : row.cells) {
    out.cells.push_back(finished(of, cell, info));
    if (executes(cell.kind)) add_time(out.on_cpu, cell.total);
  }
  sort_cells(out.cells);
  out.base = base;
  out.name = fmt::format("{}{}{}", base, of == ProfileOf::kCpus ? ' ' : '.', id);
  return out;
}

std::vector<ProfileRow> Profile::rows(const TraceInfo& info) const {
  std::vector<ProfileRow> rows;
  for (const auto& [cpu, row] : cpus_.rows) {
    rows.push_back(finished(ProfileOf::kCpus, cpu, "CPU", row, info));
  }
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    const Pid pid = thread_rows_.at(i).pid;
    rows.push_back(finished(ProfileOf::kThreads, pid, base_of(i, info), threads_[i], info));
  }
  for (const auto& [rpc, row] : rpcs_.rows) {
    rows.push_back(finished(ProfileOf::kRpcs, rpc, method_of(rpc), row, info));
  }
  sort_rows(rows);
  return rows;
}

}  // namespace kutrace::reports
