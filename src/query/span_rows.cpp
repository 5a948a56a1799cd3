// SPDX-License-Identifier: BSD-3-Clause
// Fields to columns.
#include "query/span_rows.h"

namespace kutrace::query {

namespace {

using enum ColumnType;

constexpr std::int64_t kNowhere = -1;  // a CPU that is none

std::int64_t cpu_value(CpuId cpu) { return cpu == kNoCpu ? kNowhere : std::int64_t{cpu}; }

}  // namespace

void add_thread_columns(Table& table, const PackedColumn& rows, const ThreadLists& lists,
                        const ThreadColumnNames& names) {
  table.add({.name = names.tid,
             .meaning = "number of the thread; 0: idle",
             .base = &rows,
             .list = &lists.tids,
             .null = kNoPid});
  table.add({.name = names.thread,
             .type = kText,
             .meaning = "name of the thread",
             .base = &rows,
             .list = &lists.names,
             .null = kNoName});
  table.add({.name = names.pid,
             .meaning = "number of its process",
             .base = &rows,
             .list = &lists.processes,
             .null = kNoPid});
  table.add({.name = names.process,
             .type = kText,
             .meaning = "name of its process",
             .base = &rows,
             .list = &lists.process_names,
             .null = kNoName});
}

SpanRows::SpanRows(std::string_view name, std::string_view meaning, unsigned fields,
                   const WhatLists& what, const ThreadLists& threads)
    : table_(name, meaning),
      fields_(fields),
      start_(table_.store()),
      duration_(table_.store()),
      what_(table_.store()),
      cpu_(table_.store()),
      thread_(table_.store()),
      call_(table_.store()),
      arg_(table_.store()),
      result_(table_.store()),
      has_result_(table_.store()),
      rpc_(table_.store()),
      pc_(table_.store()),
      to_cpu_(table_.store()),
      target_(table_.store()) {
  table_.add({.name = "start_ns", .meaning = "when it began", .base = &start_});
  table_.add({.name = "dur_ns", .meaning = "how long it lasted", .base = &duration_});
  table_.add({.name = "end_ns", .meaning = "when it ended", .base = &start_, .plus = &duration_});
  table_.add({.name = "kind",
              .type = kText,
              .meaning = "what it is, as dump --stage spans says it",
              .base = &what_,
              .list = &what.kinds,
              .null = kNoName});
  table_.add({.name = "name",
              .type = kText,
              .meaning = "of the call, interrupt, thread, label",
              .base = &what_,
              .list = &what.names,
              .null = kNoName});
  if ((fields & kWhose) != 0) {
    table_.add({.name = "cpu", .meaning = "number of the CPU", .base = &cpu_, .null = kNowhere});
    add_thread_columns(table_, thread_, threads);
  }
  if ((fields & kTarget) != 0) {
    table_.add({.name = "to_cpu", .meaning = "where it leads", .base = &to_cpu_, .null = kNowhere});
    add_thread_columns(table_, target_, threads, {"to_tid", "to_thread", "to_pid", "to_process"});
  }
  if ((fields & kCall) != 0) {
    table_.add({.name = "call_id",
                .meaning = "the call that it is a piece of, or that waits",
                .base = &call_,
                .null = 0});
  }
  if ((fields & kDetail) != 0) {
    table_.add(
        {.name = "event", .meaning = "number of the event", .base = &what_, .list = &what.events});
    table_.add(
        {.name = "arg", .meaning = "first argument, label, lock, queue, MHz, ...", .base = &arg_});
    table_.add({.name = "result",
                .meaning = "what the call returned, as far as it was recorded",
                .base = &result_,
                .known = &has_result_});
    table_.add({.name = "rpc", .meaning = "the RPC that was worked on", .base = &rpc_, .null = 0});
  }
  if ((fields & kPlace) != 0) {
    table_.add({.name = "pc", .meaning = "program counter", .base = &pc_});
  }
}

void SpanRows::add(const Span& span, const Place& place) {
  const bool arc = is_arc(span.kind);
  start_.append(span.start);
  duration_.append(span.duration);
  what_.append(place.what);
  cpu_.append((fields_ & kWhose) != 0 ? cpu_value(span.cpu) : 0);
  thread_.append(place.thread);
  call_.append((fields_ & kCall) != 0 ? static_cast<std::int64_t>(span.call) : 0);
  const bool detailed = (fields_ & kDetail) != 0;
  arg_.append(detailed ? static_cast<std::int64_t>(span.arg) : 0);
  result_.append(detailed && span.has_result ? span.result.value : 0);
  has_result_.append(detailed && span.has_result ? 1 : 0);
  rpc_.append(detailed ? std::int64_t{span.rpc} : 0);
  pc_.append((fields_ & kPlace) != 0 ? static_cast<std::int64_t>(span.value) : 0);
  to_cpu_.append(arc ? cpu_value(static_cast<CpuId>(span.arg)) : 0);
  target_.append(place.target);
}

}  // namespace kutrace::query
