// SPDX-License-Identifier: BSD-3-Clause
// What threads are called: the same in all answers, for one that gets another number and another
// name, and for one whose name was never seen.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "emit/chrome/chrome.h"
#include "emit/folded/folded.h"
#include "emit/stream/stack_sums.h"
#include "emit/text/blame_text.h"
#include "emit/text/cause_text.h"
#include "filters/part.h"
#include "kutrace/abi.h"
#include "model/thread_label.h"
#include "model/whole_threads.h"
#include "query/database.h"
#include "reports/blame.h"
#include "reports/diff_side.h"
#include "reports/profile.h"
#include "reports/request_times.h"
#include "reports/stack_profile.h"
#include "reports/stat.h"
#include "reports/syscalls.h"
#include "spans/rebuild.h"
#include "support/event_numbers.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

constexpr EventNum kExec = 0x800 + 59;
using Labels = std::set<std::string>;

// Thread 15 of process 10 waits until 30, whose name is never told, wakes it; then it calls exec
// and goes on as "sleep" with the number 10 of the first thread, which is gone.
RawFile recorded() {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kSYSCALL_NAME, 59, "execve");
  b.name(kind::kPID_NAME, 10, "first").name(kind::kPID_NAME, 15, "second");
  b.task(10, 10, 0).task(15, 10, 0);
  b.cpu(1, 10).at(2, kRead).at(4, kRead | kReturn).at(6, ev::kUSERPID, 0);
  b.cpu(0, 15).at(10, kRead).at(12, ev::kUSERPID, 30).at(14, kRead).at(16, ev::kRUNNABLE, 15);
  b.at(17, kRead | kReturn).at(18, ev::kUSERPID, 15).at(20, kRead | kReturn).at(30, kExec);
  b.words_at(40, kind::kTASK, 10, {std::uint64_t{15} << 32 | KUTRACE_TASK_RENUMBERED, 10});
  b.words_at(45, kind::kPID_NAME, 10, text_words("sleep")).at(50, kExec | kReturn);
  b.at(60, kRead).at(70, kRead | kReturn);
  return b.file(80);
}

template <typename Sink>
TraceInfo replay_into(Sink& sink, NameTable& names) {
  Result<TraceInfo> info = spans::rebuild(recorded(), names, sink);
  REQUIRE(info);
  return std::move(*info);
}

template <typename Rows, typename Name>
Labels labels_of(const Rows& rows, const Name& name) {
  Labels labels;
  for (const auto& row : rows) labels.insert(name(row));
  return labels;
}

const Labels kThreads = {"first.10", "sleep.10", "30"};

}  // namespace

TEST_CASE("tables of threads call them by their last name and number") {
  NameTable names;
  reports::Stat stat(names, {});
  const TraceInfo info = replay_into(stat, names);
  const auto name = [](const auto& row) { return row.name; };
  auto rows = stat.rows(reports::StatBy::kThread, info);
  std::erase_if(rows, [](const reports::StatRow& row) { return row.id <= 0; });
  CHECK(rows.size() == 3);
  CHECK(labels_of(rows, name) == kThreads);
  rows = stat.rows(reports::StatBy::kProcess, info);
  std::erase_if(rows, [](const reports::StatRow& row) { return row.id <= 0; });
  CHECK(labels_of(rows, name) == Labels{"sleep.10", "30"});
  rows = stat.rows(reports::StatBy::kProgram, info);
  CHECK(labels_of(rows, name) == Labels{"idle", "sleep", "?"});

  reports::Syscalls calls(names, reports::SyscallsBy::kThread, 10, {});
  replay_into(calls, names);
  CHECK(calls.groups().size() == 3);
  CHECK(labels_of(calls.groups(), name) == kThreads);
  CHECK(labels_of(calls.slowest(), [](const auto& slow) { return slow.thread; }) == kThreads);
  reports::Syscalls programs(names, reports::SyscallsBy::kProgram, 0, {});
  replay_into(programs, names);
  CHECK(labels_of(programs.groups(), name) == Labels{"sleep", "?"});

  reports::Profile profile(names);
  auto profiled = profile.rows(replay_into(profile, names));
  std::erase_if(profiled, [](const auto& row) { return row.of != reports::ProfileOf::kThreads; });
  CHECK(profiled.size() == 3);
  CHECK(labels_of(profiled, name) == kThreads);
  const auto groups = reports::grouped_rows(profiled, true);
  CHECK(labels_of(groups, name).contains("?_AVG"));
}

TEST_CASE("stacks and requests are of threads that are called the same") {
  NameTable names;
  reports::StackProfile stacks(names);
  const TraceInfo info = replay_into(stacks, names);
  const auto label = [](const reports::StackRow& row) { return row.label; };
  CHECK(labels_of(stacks.rows(info, true), label).contains("sleep.10"));
  CHECK_FALSE(labels_of(stacks.rows(info, true), label).contains("second.15"));
  CHECK(labels_of(stacks.rows(info, false), label).contains("sleep"));

  const reports::Interval asked{.begin = 160, .end = 320, .pid = 15, .thread = ThreadId{3}};
  reports::RequestTimes requests(names, {asked});
  const TraceInfo told = replay_into(requests, names);
  CHECK(requests.thread(0, told) == "sleep.10");
}

TEST_CASE("what is explained and blamed is of threads that are called the same") {
  NameTable names;
  Pid waiter = kNoPid;  // the number that it had when it waited
  reports::BlameSink sink(
      {{0, 1280}}, names,
      [&](const reports::Piece& wait, const reports::Happenings& happenings) {
        if (wait.letter == reports::kReady) return false;
        waiter = happenings.pid_of(wait.row);
        return waiter == 15;
      },
      0);
  sink.tell_waiters(reports::BlameSink::Waiters::kEach);
  const TraceInfo info = replay_into(sink, names);
  while (sink.wants_again()) replay_into(sink, names);
  CHECK(waiter == 15);
  const emit::CauseText text(sink.happenings(), names, info.facts);
  const reports::Blame blame = sink.blame();
  REQUIRE_FALSE(blame.rows.empty());
  const reports::BlameRow& row = blame.rows.front();
  CHECK(text.thread(row.waiter) == "sleep.10");
  CHECK(text.name(row.waiter) == "sleep");
  REQUIRE(row.cause.other != reports::kNoRow);
  CHECK(text.thread(row.cause.other) == "30");
  CHECK(text.name(row.cause.other) == "?");
  CHECK(text.words(row.cause, reports::kNoRow).contains("a thread without a name ended it"));
}

TEST_CASE("compared traces and exports call threads the same") {
  NameTable names;
  reports::DiffSide side(names, {});
  const TraceInfo info = replay_into(side, names);
  Labels compared;
  for (const auto& [key, sums] : side.rows(info))
    if (key.by == reports::DiffBy::kThread) compared.insert(key.name);
  CHECK(compared == Labels{"first", "sleep", "?"});

  std::string text;
  const auto take = [&text](std::string_view bytes) {
    text += bytes;
    return true;
  };
  emit::ChromeSink chrome(names, take);
  REQUIRE(chrome.finish(replay_into(chrome, names)));
  CHECK(text.contains(R"("args":{"name":"30"})"));
  text.clear();
  emit::FoldedSink folded(names, take);
  REQUIRE(folded.finish(replay_into(folded, names)));
  CHECK(text.contains("\n30;read "));
}

TEST_CASE("a thread of which only waits are seen has the name that the trace tells") {
  NameTable names;
  emit::StackSums sums(names);
  Span wait;
  wait.kind = SpanKind::kWait;
  wait.pid = 7;
  wait.duration = 10;
  wait.name = names.intern("wait_cpu");
  sums.push(wait);
  TraceInfo info;
  info.threads[7].name = names.intern("prog");
  sums.end(info);
  CHECK(sums.text(1) == "prog.7");
}

TEST_CASE("a part of a trace that ends before a thread's exec calls it the same") {
  NameTable names;
  reports::Stat stat(names, {});
  filters::Part part({{0, 400}}, {}, names, stat);
  const TraceInfo info = replay_into(part, names);
  const Labels labels = labels_of(stat.rows(reports::StatBy::kThread, info),
                                  [](const auto& row) { return row.name; });
  CHECK(labels.contains("sleep.10"));
  CHECK_FALSE(labels.contains("second.15"));
}

TEST_CASE("rows of a query have the last name, and the number of then") {
  if (!query::Database::available()) return;
  NameTable names;
  query::TraceTables tables(names);
  replay_into(tables, names);
  auto database = query::Database::open(tables, {});
  REQUIRE(database);
  struct Lines : query::RowSink {
    std::set<std::string> lines;
    void columns(const std::vector<std::string>&) override {}
    bool row(const std::vector<query::Cell>& cells) override {
      lines.insert(std::string(std::get<std::string_view>(cells.front())));
      return true;
    }
    void end() override {}
  };
  const auto asked = [&](const char* sql) {
    Lines sink;
    REQUIRE(database->run(sql, sink));
    return sink.lines;
  };
  const Labels rows = {"10 first", "10 sleep", "15 sleep", "30 NULL"};
  CHECK(asked("SELECT tid || ' ' || ifnull(thread, 'NULL') FROM threads WHERE tid > 0") == rows);
  CHECK(asked("SELECT tid || ' ' || ifnull(thread, 'NULL') FROM spans WHERE tid > 0") == rows);
  CHECK(asked("SELECT pid || ' ' || threads FROM processes WHERE pid = 10") == Labels{"10 2"});
}

TEST_CASE("threads that had one number in turn stay two, and one of two numbers is one") {
  WholeThreads threads;
  const std::uint32_t old = threads.index(10, ThreadId{1});
  const std::uint32_t other = threads.index(15, ThreadId{2});
  CHECK(threads.index(10, ThreadId{2}) == other);
  CHECK(threads.index(10) == other);
  CHECK(threads.life({.thread = ThreadId{2}, .pid = 10, .name = 7, .begin = 50}) == other);
  CHECK(threads.life({.thread = ThreadId{2}, .pid = 15, .name = 6, .begin = 5}) == other);
  CHECK(threads.life({.thread = ThreadId{1}, .pid = 10, .name = 5}) == old);
  CHECK(threads.index(15, ThreadId{2}) == other);
  CHECK(threads.size() == 2);
  CHECK(threads.pid(other) == 10);
  CHECK(threads.lived(other) == 7);
  CHECK(threads.is_last(other));
  CHECK(threads.lived(old) == 5);
  CHECK_FALSE(threads.is_last(old));
  // A thread that is said to be woken before it is seen.
  const std::uint32_t woken = threads.index(20);
  CHECK(threads.index(20, ThreadId{3}) == woken);
  CHECK(threads.thread(woken) == ThreadId{3});
}

TEST_CASE("a label tells the name again") {
  const Facts one;
  for (const std::string name : {"server", "a.12", "", "12.12", "x@y"}) {
    const std::string label = thread_label(name, 12, one);
    CHECK(label == (name.empty() ? "12" : name + ".12"));
    CHECK(name_in_label(label, 12) == name);
    CHECK(name_in_label(label + "@db.12.example", 12) == name);
  }
}

TEST_CASE("a thread whose number means none has a row as any other") {
  WholeThreads threads;
  CHECK(threads.index(10, ThreadId{9}) == 0);
  CHECK(threads.index(kNoPid, ThreadId{3}) == 1);
  CHECK(threads.index(kNoPid, ThreadId{3}) == 1);
}

}  // namespace kutrace::test
