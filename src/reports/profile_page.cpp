// SPDX-License-Identifier: BSD-3-Clause
// Laying cells out.
#include "reports/profile_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/add_time.h"
#include "format/event_table.h"

namespace kutrace::reports {

namespace {

constexpr Pid kFirstRpcRow = 1 << 24;  // above the ids of threads

Ns length_of(const ProfileRow& row, const ProfileCell& cell) {
  return cell.total / static_cast<Ns>(std::max<std::uint64_t>(1, row.merged));
}

bool lies_over(SpanKind kind) {
  return kind == SpanKind::kSample || kind == SpanKind::kLockHeld ||
         kind == SpanKind::kLockWanted || kind == SpanKind::kFrequency;
}

class Layout {
 public:
  Layout(NameTable& names, SpanSink& sink, TraceInfo& info)
      : names_(names), sink_(sink), info_(info) {}

  void add(const ProfileRow& row, CpuId cpu, Pid pid) {
    info_.cpus.push_back(cpu);
    if (row.of != ProfileOf::kCpus || row.merged > 1)
      info_.facts.add(fact::kRow, fmt::format("{} {}", cpu, row.name));
    if (pid > 0) info_.threads[pid].name = names_.intern(row.merged > 1 ? row.name : row.base);
    for (Ns& at : over_) at = 0;
    Ns now = 0;
    for (const ProfileCell& cell : row.cells) {
      Ns& begin = lies_over(cell.kind) ? over_[static_cast<std::size_t>(cell.kind)] : now;
      const Ns length = std::min(length_of(row, cell), std::numeric_limits<Ns>::max() - begin);
      put(cell, cpu, pid, begin, length);
      begin += length;
    }
    put_hidden(cpu, now, info_.end - now);
  }

 private:
  void put(const ProfileCell& cell, CpuId cpu, Pid pid, Ns begin, Ns length) {
    if (length == 0) return;
    Span span;
    span.start = begin;
    span.duration = length;
    span.kind = cell.kind;
    span.event = cell.event;
    span.name = names_.intern(cell.name);
    span.cpu = cpu;
    span.pid = pid;
    if (!is_execution(cell.kind) && cell.kind != SpanKind::kSample &&
        cell.kind != SpanKind::kFrequency) {
      span.cpu = kNoCpu;
    }
    sink_.push(span);
    if (cell.kind == SpanKind::kWait) put_hidden(cpu, begin, length);
  }

  // The rest of a row, and waits, which are on no CPU.
  void put_hidden(CpuId cpu, Ns begin, Ns length) {
    if (length <= 0) return;
    Span span;
    span.start = begin;
    span.duration = length;
    span.kind = SpanKind::kHidden;
    span.cpu = cpu;
    sink_.push(span);
  }

  NameTable& names_;
  SpanSink& sink_;
  TraceInfo& info_;
  Ns over_[kSpanKinds] = {};
};

Ns length_of(const ProfileRow& row) {
  Ns length = 0;
  for (const ProfileCell& cell : row.cells)
    if (!lies_over(cell.kind)) add_time(length, length_of(row, cell));
  return length;
}

}  // namespace

TraceInfo lay_out_profile(const std::vector<ProfileRow>& rows, const TraceInfo& of,
                          NameTable& names, SpanSink& sink) {
  TraceInfo info;
  info.host_name = of.host_name;
  info.kernel_version = of.kernel_version;
  info.cpu_model = of.cpu_model;
  info.wall_usec = of.wall_usec;
  info.ns_per_tick = of.ns_per_tick;
  CpuId next_cpu = 0;
  for (const ProfileRow& row : rows) {
    info.end = std::max(info.end, length_of(row));
    if (row.of == ProfileOf::kCpus) next_cpu = std::max(next_cpu, static_cast<CpuId>(row.id) + 1);
  }
  sink.begin(info);
  Layout layout(names, sink, info);
  Pid next_rpc = kFirstRpcRow;
  for (const ProfileRow& row : rows) {
    if (row.of == ProfileOf::kCpus && row.merged == 1) {
      layout.add(row, static_cast<CpuId>(row.id), kNoPid);
    } else {
      const bool thread = row.of == ProfileOf::kThreads && row.merged == 1;
      layout.add(row, next_cpu++, thread ? static_cast<Pid>(row.id) : next_rpc++);
    }
  }
  std::sort(info.cpus.begin(), info.cpus.end());
  sink.end(info);
  return info;
}

}  // namespace kutrace::reports
