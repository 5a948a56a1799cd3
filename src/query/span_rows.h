// SPDX-License-Identifier: BSD-3-Clause
// Spans of one sort as rows of a table, and which of their fields the table shows. In: spans, with
// what stands for their names and threads; out: the table. Fields that are the same in all rows of
// a block take no memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/span.h"
#include "query/table.h"

namespace kutrace::query {

// What rows of threads stand for. By row of ThreadRows; texts by number.
struct ThreadLists {
  List tids;
  List names;
  List processes;
  List process_names;
  List cgroups;
  List containers;
  List pods;
};

// What pairs of kind and name stand for.
struct WhatLists {
  List kinds;
  List names;
  List events;
};

// What the columns that say whose a row is are called: tid, thread, pid, process.
struct ThreadColumnNames {
  std::string_view tid = "tid";
  std::string_view thread = "thread";
  std::string_view pid = "pid";
  std::string_view process = "process";
};
void add_thread_columns(Table& table, const PackedColumn& rows, const ThreadLists& lists,
                        const ThreadColumnNames& names = {});

struct GroupColumn {
  std::string_view name;
  std::string_view meaning;
};
inline constexpr GroupColumn kCgroupColumn{"cgroup", "path of its process's control group"};
inline constexpr GroupColumn kContainerColumn{"container",
                                              "first 12 digits of its container's number"};
inline constexpr GroupColumn kPodColumn{"pod", "UID of its pod"};
// These three.
void add_group_columns(Table& table, const PackedColumn& rows, const ThreadLists& lists);

class SpanRows {
 public:
  // What else a table shows than times, kind and name.
  enum Field : unsigned {
    kWhose = 1,    // cpu, tid, thread, pid, process
    kCall = 2,     // call_id
    kDetail = 4,   // event, arg, result, rpc
    kPlace = 8,    // pc
    kTarget = 16,  // to_cpu and the woken thread
    kStack = 32,
    kSecond = 64,    // arg2
    kFunction = 128  // depth, own_ns
  };

  SpanRows(std::string_view name, std::string_view meaning, unsigned fields, const WhatLists& what,
           const ThreadLists& threads);

  struct Place {
    std::uint32_t what = 0;
    std::uint32_t thread = 0;
    std::uint32_t target = 0;      // of arcs: the thread that was woken
    std::int64_t stack = kNoName;  // a text
  };
  void add(const Span& span, const Place& place);

  Table& table() { return table_; }
  const Table& table() const { return table_; }

  // What is kept of each row; who brings rows by the block fills them.
  struct Stores {
    explicit Stores(Table& table);
    PackedColumn &start, &duration, &what, &cpu, &thread, &call, &arg, &result, &has_result, &rpc,
        &pc, &to_cpu, &target, &stack;
  };
  Stores& stores() { return s_; }

 private:
  Table table_;
  unsigned fields_;
  Stores s_;
};

}  // namespace kutrace::query
