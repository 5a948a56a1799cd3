// SPDX-License-Identifier: BSD-3-Clause
// Summing per row and name.
#include "reports/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/add_time.h"
#include "kutrace/abi.h"
#include "model/rpc_names.h"
#include "model/thread_label.h"

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
    case ProfileOf::kCgroups:
      return "cgroup";
    case ProfileOf::kContainers:
      return "container";
    case ProfileOf::kPods:
      return "pod";
  }
  return "unknown";
}

double ProfileCell::mean() const {
  if (durations.count() == 0) return 0;
  return static_cast<double>(lasted) / static_cast<double>(durations.count());
}

Profile::Row& Profile::numbered(Row& row) {
  if (!row.known) row.number = rows_++;
  row.known = true;
  return row;
}

Profile::Row& Profile::cpu_row(CpuId cpu) {
  if (cpu >= cpus_.size()) cpus_.resize(cpu + std::size_t{1});
  return numbered(cpus_[cpu]);
}

Profile::Row& Profile::row_of(Pid pid, ThreadId thread) {
  const std::uint32_t row = who_.row(pid, thread);
  if (row >= threads_.size()) threads_.resize(row + std::size_t{1});
  return numbered(threads_[row]);
}

Profile::Row& Profile::rpc_row(std::uint32_t rpc) {
  const auto [number, added] = rpc_numbers_.find_or_add(rpc);
  if (added) rpcs_.emplace_back(rpc, Row{});
  return numbered(rpcs_[number].second);
}

void Profile::push(const Span& span) {
  if (names_rpc(span)) rpc_names_.try_emplace(rpc_of_name(span), span.name);
  ProfileCells::Rows rows;
  const auto add = [&](Row& row) {
    rows.add(row.number);
    extend(row, span);
  };
  if (span.cpu != kNoCpu && is_of_cpu(span.kind)) add(cpu_row(span.cpu));
  const bool counts =
      is_execution(span.kind) || is_of_thread(span.kind) || span.kind == SpanKind::kSample;
  if (counts && span.pid > 0) add(row_of(span.pid, span.thread));
  if (counts && span.rpc > 0) add(rpc_row(span.rpc));
  if (rows.all().empty()) return;
  cells_.add(rows, span);
  last_ = {span.call, span.cpu, span.pid, span.thread, span.name, span.kind};
}

// Whether what was entered last is a piece of it, and nothing was handed over since.
bool Profile::ends_with_last(const Call& call) const {
  const bool is_its = call.id != CallId::kNone && last_.call == call.id && last_.cpu == call.cpu &&
                      last_.name == call.name && last_.kind == call.kind;
  return is_its && call.cpu != kNoCpu && is_execution(call.kind) &&
         (call.pid <= 0 || (last_.pid == call.pid && last_.thread == call.thread));
}

void Profile::call(const Call& call) {
  const bool is_of_cpu = call.cpu != kNoCpu;
  const bool is_of_thread = call.pid > 0;
  if (ends_with_last(call)) {
    cells_.add_to_piece(is_of_thread ? 2 : 1, call);
  } else {
    ProfileCells::Rows rows;
    if (is_of_cpu) rows.add(cpu_row(call.cpu).number);
    if (is_of_thread) rows.add(row_of(call.pid, call.thread).number);
    cells_.add(rows, call);
  }
  last_ = {};
}

void Profile::life(const ThreadLife& life) {
  who_.life(life);
  if (life.executing != 0 || life.waiting != 0) row_of(life.pid, life.thread);
}

void Profile::end(TraceInfo& info) {
  cells_.finish();
  who_.finish(info);
}

void Profile::extend(Row& row, const Span& span) {
  const bool lasts = is_execution(span.kind) || span.kind == SpanKind::kWait;
  if (!lasts) return;
  const Ns end = span.start + span.duration;
  row.first = row.any ? std::min(row.first, span.start) : span.start;
  row.last = row.any ? std::max(row.last, end) : end;
  row.any = true;
  if (is_user(span.kind)) row.name = span.name;
}

ProfileCell Profile::finished(ProfileOf of, ProfileSums sums, const TraceInfo& info) const {
  ProfileCell out;
  out.kind = sums.kind;
  out.event = sums.event;
  out.name = names_.text(sums.name);
  if (sums.kind == SpanKind::kFrequency) out.name = fmt::format("{}_{}", out.name, sums.arg);
  if (sums.kind == SpanKind::kLockWanted) out.name.insert(0, "~");
  out.total = sums.total;
  out.pieces = sums.pieces;
  out.is_calls = of != ProfileOf::kRpcs && sums.has_calls;
  out.durations = std::move(sums.durations);
  out.lasted = out.is_calls ? sums.lasted : sums.total;
  out.calls_on_cpu = sums.calls_on_cpu;
  out.calls_blocked = sums.calls_blocked;
  if ((info.flags & KUTRACE_FLAG_IPC) != 0 && is_execution(sums.kind) && sums.total > 0) {
    out.ipc = sums.ipc((info.flags & KUTRACE_FLAG_LLC) != 0);
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

// Without a name of its own it goes by that of its user code.
std::string Profile::base_of(std::uint32_t thread, const TraceInfo& info) const {
  const std::string name = who_.name(thread, info);
  return name.empty() ? names_.text(threads_[thread].name) : name;
}

void Profile::finish(ProfileRow& shown, const Row& row, const Cells& cells,
                     const TraceInfo& info) const {
  shown.elapsed = row.last - row.first;
  shown.cells.reserve(cells.size());
  for (const std::uint32_t cell : cells) {
    const ProfileCell& added =
        shown.cells.emplace_back(finished(shown.of, cells_.sums(cell), info));
    if (executes(added.kind)) add_time(shown.on_cpu, added.total);
  }
  sort_cells(shown.cells);
}

std::vector<ProfileRow> Profile::rows(const TraceInfo& info) const {
  const std::vector<Cells> cells = cells_.by_row(rows_);
  std::vector<ProfileRow> rows;
  const auto add = [&](ProfileOf of, std::int64_t id, std::string base, std::string name,
                       const Row& row) -> ProfileRow& {
    ProfileRow& shown = rows.emplace_back();
    shown.of = of;
    shown.id = id;
    shown.base = std::move(base);
    shown.name = std::move(name);
    finish(shown, row, cells[row.number], info);
    return shown;
  };
  for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) {
    if (!cpus_[cpu].known) continue;
    add(ProfileOf::kCpus, static_cast<std::int64_t>(cpu), "CPU", fmt::format("CPU {}", cpu),
        cpus_[cpu]);
  }
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    if (!threads_[i].known) continue;
    const std::string base = base_of(i, info);
    const std::string label = thread_label(base, who_.pid(i), info.facts);
    add(ProfileOf::kThreads, who_.pid(i), base, label, threads_[i]).cgroup = who_.cgroup_path(i);
  }
  for (const auto& [rpc, row] : rpcs_) {
    if (!row.known) continue;
    const std::string method = method_of(rpc);
    add(ProfileOf::kRpcs, rpc, method, fmt::format("{}.{}", method, rpc), row);
  }
  sort_rows(rows);
  return rows;
}

}  // namespace kutrace::reports
