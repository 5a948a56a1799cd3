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

void add_group_columns(Table& table, const PackedColumn& rows, const ThreadLists& lists) {
  const auto add = [&](const GroupColumn& column, const List& list) {
    table.add({.name = column.name,
               .type = kText,
               .meaning = column.meaning,
               .base = &rows,
               .list = &list,
               .null = kNoName});
  };
  add(kCgroupColumn, lists.cgroups);
  add(kContainerColumn, lists.containers);
  add(kPodColumn, lists.pods);
}

SpanRows::Stores::Stores(Table& table)
    : start(table.store()),
      duration(table.store()),
      what(table.store()),
      cpu(table.store()),
      thread(table.store()),
      call(table.store()),
      arg(table.store()),
      result(table.store()),
      has_result(table.store()),
      rpc(table.store()),
      pc(table.store()),
      to_cpu(table.store()),
      target(table.store()),
      stack(table.store()) {}

SpanRows::SpanRows(std::string_view name, std::string_view meaning, unsigned fields,
                   const WhatLists& what, const ThreadLists& threads)
    : table_(name, meaning), fields_(fields), s_(table_) {
  table_.add({.name = "start_ns", .meaning = "when it began", .base = &s_.start});
  table_.add({.name = "dur_ns", .meaning = "how long it lasted", .base = &s_.duration});
  table_.add(
      {.name = "end_ns", .meaning = "when it ended", .base = &s_.start, .plus = &s_.duration});
  table_.add({.name = "kind",
              .type = kText,
              .meaning = "what it is, as dump --stage spans says it",
              .base = &s_.what,
              .list = &what.kinds,
              .null = kNoName});
  table_.add({.name = "name",
              .type = kText,
              .meaning = "of the call, interrupt, thread, label",
              .base = &s_.what,
              .list = &what.names,
              .null = kNoName});
  if ((fields & kWhose) != 0) {
    table_.add({.name = "cpu", .meaning = "number of the CPU", .base = &s_.cpu, .null = kNowhere});
    add_thread_columns(table_, s_.thread, threads);
    add_group_columns(table_, s_.thread, threads);
  }
  if ((fields & kTarget) != 0) {
    table_.add(
        {.name = "to_cpu", .meaning = "where it leads", .base = &s_.to_cpu, .null = kNowhere});
    add_thread_columns(table_, s_.target, threads, {"to_tid", "to_thread", "to_pid", "to_process"});
  }
  if ((fields & kCall) != 0) {
    table_.add({.name = "call_id",
                .meaning = "the call that it is a piece of, or that waits",
                .base = &s_.call,
                .null = 0});
  }
  if ((fields & kDetail) != 0) {
    table_.add({.name = "event",
                .meaning = "number of the event",
                .base = &s_.what,
                .list = &what.events});
    table_.add(
        {.name = "arg",
         .meaning = "first argument, label, lock, queue, MHz, ...; of a page its low 32 bits",
         .base = &s_.arg});
    table_.add({.name = "result",
                .meaning = "what the call returned, as far as it was recorded",
                .base = &s_.result,
                .known = &s_.has_result});
    table_.add(
        {.name = "rpc", .meaning = "the RPC that was worked on", .base = &s_.rpc, .null = 0});
  }
  if ((fields & kSecond) != 0) {
    table_.add({.name = "arg2", .meaning = "its second number", .base = &s_.pc});
  }
  if ((fields & kFunction) != 0) {
    table_.add({.name = "depth", .meaning = "how many are around it", .base = &s_.arg});
    table_.add({.name = "own_ns", .meaning = "in itself, without what it called", .base = &s_.pc});
  }
  if ((fields & kPlace) != 0) {
    table_.add({.name = "pc", .meaning = "program counter", .base = &s_.pc});
  }
  if ((fields & kStack) != 0) {
    table_.add({.name = "stack",
                .type = kText,
                .meaning = "functions that led there, the outermost first, with ; between them",
                .base = &s_.stack,
                .null = kNoName});
  }
}

void SpanRows::add(const Span& span, const Place& place) {
  if (!table_.is_open()) return;
  table_.add_row();
  const bool arc = is_arc(span.kind);
  s_.start.append(span.start);
  s_.duration.append(span.duration);
  s_.what.append(place.what);
  s_.cpu.append((fields_ & kWhose) != 0 ? cpu_value(span.cpu) : 0);
  s_.thread.append(place.thread);
  s_.call.append((fields_ & kCall) != 0 ? static_cast<std::int64_t>(span.call) : 0);
  const bool detailed = (fields_ & kDetail) != 0;
  const bool counted = (fields_ & (kDetail | kFunction)) != 0;
  s_.arg.append(counted ? static_cast<std::int64_t>(span.arg) : 0);
  s_.result.append(detailed && span.has_result ? span.result.value : 0);
  s_.has_result.append(detailed && span.has_result ? 1 : 0);
  s_.rpc.append(detailed ? std::int64_t{span.rpc} : 0);
  s_.pc.append(
      (fields_ & (kPlace | kSecond | kFunction)) != 0 ? static_cast<std::int64_t>(span.value) : 0);
  s_.to_cpu.append(arc ? cpu_value(static_cast<CpuId>(span.arg)) : 0);
  s_.target.append(place.target);
  s_.stack.append(place.stack);
}

}  // namespace kutrace::query
