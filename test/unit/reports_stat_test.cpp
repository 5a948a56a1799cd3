// SPDX-License-Identifier: BSD-3-Clause
// Where time went: switches, delays, migrations, groups, intervals; and as text.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "emit/text/stat_text.h"
#include "format/event_table.h"
#include "reports/stat.h"

namespace kutrace::test {
namespace {

using reports::Stat;
using reports::StatBy;
using reports::StatRow;

// Two CPUs: a server of two threads is preempted once, blocks once, moves once.
struct Made {
  TraceInfo info;

  Made(NameTable& names, Stat& stat) {
    info.end = 1000;
    info.cpus = {0, 1};
    const auto thread = [&](Pid pid, const char* name, Pid process) {
      info.threads[pid].name = names.intern(name);
      info.threads[pid].process = process;
    };
    thread(10, "server", 10);
    thread(11, "worker", 10);
    thread(20, "client", 20);
    stat.begin(info);
    run(stat, 0, 10, 0, 300, SpanKind::kUser);
    run(stat, 0, 20, 300, 400, SpanKind::kUser);
    wait(stat, 10, 300, 400, 'c');  // preempted by the client
    run(stat, 0, 10, 400, 500, SpanKind::kSyscall);
    faults(stat, 0, 10, 450);
    run(stat, 0, 10, 500, 520, SpanKind::kIrq, CallId{1});
    run(stat, 1, 0, 0, 700, SpanKind::kIdle);
    wait(stat, 10, 520, 650, 'd');  // it blocked
    wait(stat, 10, 650, 700, 'c');
    wakes(stat, 0, 20, 10, 650);
    run(stat, 1, 10, 700, 1000, SpanKind::kUser);
    run(stat, 0, 0, 520, 900, SpanKind::kIdle);
    run(stat, 0, 11, 900, 960, SpanKind::kUser);
    run(stat, 0, kNoPid, 960, 1000, SpanKind::kLoss);
    for (const auto& [pid, known] : info.threads) {
      ThreadLife life;
      life.pid = pid;
      life.thread = ThreadId{static_cast<std::uint32_t>(pid)};
      life.process = known.process;
      life.name = known.name;
      life.end = 1000;
      stat.life(life);
    }
    stat.end(info);
  }
  static void run(Stat& stat, CpuId cpu, Pid pid, Ns from, Ns to, SpanKind kind,
                  CallId call = CallId::kNone) {
    Span span;
    span.cpu = cpu;
    span.pid = pid;
    span.thread = pid > 0 ? ThreadId{static_cast<std::uint32_t>(pid)} : ThreadId::kNone;
    span.start = from;
    span.duration = to - from;
    span.kind = kind;
    span.call = call;
    stat.push(span);
  }
  static void wait(Stat& stat, Pid pid, Ns from, Ns to, char letter) {
    Span span;
    span.kind = SpanKind::kWait;
    span.pid = pid;
    span.thread = ThreadId{static_cast<std::uint32_t>(pid)};
    span.start = from;
    span.duration = to - from;
    span.event = static_cast<EventNum>(ev::kWAIT_FIRST + static_cast<unsigned>(letter - 'a'));
    stat.push(span);
  }
  static void wakes(Stat& stat, CpuId cpu, Pid waker, Pid woken, Ns at) {
    Span span;
    span.kind = SpanKind::kWakeupArc;
    span.cpu = cpu;
    span.pid = waker;
    span.other = woken;
    span.start = at;
    stat.push(span);
  }
  static void faults(Stat& stat, CpuId cpu, Pid pid, Ns at) {
    Span span;
    span.kind = SpanKind::kPoint;
    span.event = ev::kPageFault;
    span.cpu = cpu;
    span.pid = pid;
    span.thread = ThreadId{static_cast<std::uint32_t>(pid)};
    span.start = at;
    stat.push(span);
  }
};

const StatRow& row(const std::vector<StatRow>& rows, const std::string& name) {
  const auto found = std::ranges::find(rows, name, &StatRow::name);
  REQUIRE(found != rows.end());
  return *found;
}

}  // namespace

TEST_CASE("a thread moves as often in whichever order its CPUs are told") {
  NameTable names;
  Stat stat(names, {});
  TraceInfo info;
  info.end = 300;
  info.cpus = {0, 1};
  stat.begin(info);
  const bool is_late = GENERATE(false, true);
  Made::run(stat, 0, 10, 0, 100, SpanKind::kUser);
  if (is_late) Made::run(stat, 1, 10, 200, 300, SpanKind::kUser);
  Made::run(stat, 0, 10, 100, 200, SpanKind::kSyscall);
  if (!is_late) Made::run(stat, 1, 10, 200, 300, SpanKind::kUser);
  stat.end(info);
  CHECK(row(stat.rows(StatBy::kThread, info), "10").sums.migrations == 1);
}

TEST_CASE("a thread's time, delays, switches, wakeups and moves are counted") {
  NameTable names;
  Stat stat(names, {});
  const Made made(names, stat);
  const auto threads = stat.rows(StatBy::kThread, made.info);
  const reports::StatSums& server = row(threads, "server.10").sums;
  CHECK(server.user == 600);
  CHECK(server.kernel == 100);
  CHECK(server.interrupts == 20);
  CHECK(server.waits['c' - 'a'] == 150);
  CHECK(server.blocked() == 130);
  CHECK(server.life == 1000);
  CHECK(server.unknown == 0);
  CHECK(server.ready.count() == 2);
  CHECK(server.ready.longest() == 100);
  CHECK(server.switches == 2);
  CHECK(server.involuntary == 1);
  CHECK(server.voluntary == 1);
  CHECK(server.woken == 1);
  CHECK(server.migrations == 1);
  CHECK(server.faults == 1);  // without an end
  CHECK(server.irqs == 1);
  const auto cpus = stat.rows(StatBy::kCpu, made.info);
  CHECK(row(cpus, "CPU 0").sums.switches == 4);  // not into the loss
  CHECK(row(cpus, "CPU 0").sums.lost == 40);
  CHECK(row(cpus, "CPU 1").sums.migrations == 1);
}

TEST_CASE("a switch away from what is hidden is not counted, and one to it is") {
  NameTable names;
  Stat stat(names, {.windows = {}, .every = 1000});
  TraceInfo info;
  info.end = 500;
  info.cpus = {0};
  stat.begin(info);
  Made::run(stat, 0, kNoPid, 0, 100, SpanKind::kHidden);
  Made::run(stat, 0, 10, 100, 200, SpanKind::kUser);
  Made::run(stat, 0, kNoPid, 200, 300, SpanKind::kHidden);
  Made::run(stat, 0, 10, 300, 400, SpanKind::kUser);
  Made::run(stat, 0, kNoPid, 400, 500, SpanKind::kHidden);
  stat.end(info);
  CHECK(row(stat.rows(StatBy::kThread, info), "10").sums.switches == 2);
  CHECK(row(stat.rows(StatBy::kCpu, info), "CPU 0").sums.switches == 2);
  CHECK(stat.rows(StatBy::kInterval, info).front().sums.switches == 2);
}

TEST_CASE("what came before a window tells of a switch, a move and a block at its begin") {
  const auto counted = [](const std::vector<TimeWindow>& windows) {
    NameTable names;
    Stat stat(names, {.windows = windows});
    const Made made(names, stat);
    const reports::StatSums server = row(stat.rows(StatBy::kThread, made.info), "server.10").sums;
    const reports::StatSums cpu = row(stat.rows(StatBy::kCpu, made.info), "CPU 0").sums;
    return std::vector<std::uint64_t>{cpu.switches, server.migrations, server.voluntary,
                                      server.involuntary, server.ready.count()};
  };
  CHECK(counted({{0, 1000}}) == std::vector<std::uint64_t>{4, 1, 1, 1, 2});
  CHECK(counted({{300, 400}}) == std::vector<std::uint64_t>{1, 0, 0, 1, 1});
  CHECK(counted({{301, 400}}) == std::vector<std::uint64_t>{0, 0, 0, 0, 0});
  CHECK(counted({{520, 600}}) == std::vector<std::uint64_t>{1, 0, 1, 0, 0});
  CHECK(counted({{700, 800}}) == std::vector<std::uint64_t>{0, 1, 0, 0, 0});
  CHECK(counted({{0, 10}, {300, 301}, {700, 701}}) == std::vector<std::uint64_t>{1, 1, 0, 1, 1});
}

TEST_CASE("threads are summed up by process and by program; idle and losses have rows") {
  NameTable names;
  Stat stat(names, {});
  const Made made(names, stat);
  CHECK(stat.rows(StatBy::kThread, made.info).size() == 5);
  const auto processes = stat.rows(StatBy::kProcess, made.info);
  CHECK(processes.size() == 4);
  CHECK(row(processes, "idle").sums.idle == 1080);
  CHECK(row(processes, "(lost or hidden)").sums.lost == 40);
  CHECK(processes.front().id == 10);
  CHECK(processes.front().sums.executing() == 780);
}

TEST_CASE("intervals share what reaches over their edges, and never become too many") {
  NameTable names;
  Stat stat(names, {.windows = {}, .every = 250});
  const Made made(names, stat);
  const auto rows = stat.rows(StatBy::kInterval, made.info);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].sums.user == 250);
  CHECK(rows[1].sums.user == 150);
  CHECK(rows[1].sums.kernel == 100);
  CHECK(rows[2].sums.waiting() == 180);
  CHECK(rows[3].end == 1000);
  Stat many(names, {.windows = {}, .every = 1});
  TraceInfo info;
  info.end = 1'000'000;
  many.begin(info);
  Made::run(many, 0, 10, 0, info.end, SpanKind::kUser);
  const auto folded = many.rows(StatBy::kInterval, info);
  CHECK(many.every() == 128);
  CHECK(folded.size() <= Stat::kMostIntervals);
  Ns sum = 0;
  for (const StatRow& interval : folded) sum += interval.sums.user;
  CHECK(sum == info.end);
}

TEST_CASE("where the trace tells of pieces of calls only, nothing says how many there were") {
  NameTable names;
  Stat stat(names, {});
  TraceInfo info;
  info.end = 40;
  info.cpus = {0};
  stat.begin(info);
  Made::run(stat, 0, 10, 0, 10, SpanKind::kSyscall);
  Made::run(stat, 0, 10, 10, 20, SpanKind::kIrq);
  Made::run(stat, 0, 10, 20, 30, SpanKind::kSoftirq);
  Made::run(stat, 0, 10, 30, 40, SpanKind::kIrq);
  stat.end(info);
  CHECK_FALSE(stat.tells_calls());
  CHECK_FALSE(stat.tells_faults());
  CHECK_FALSE(stat.tells_interrupts());
  for (const StatBy by : {StatBy::kCpu, StatBy::kThread, StatBy::kProgram}) {
    CHECK(stat.rows(by, info).front().sums.irqs == 0);
    CHECK(stat.rows(by, info).front().sums.softirqs == 0);
    emit::StatTold told{40, 1, false, false, 1};
    told.calls = told.interrupts = false;
    const auto text_of = [&](bool faults) {
      told.faults = faults;
      const emit::StatTable table{by, false, stat.rows(by, info), {}};
      std::string text = emit::stat_json({table}, told) + "\n";
      const auto add = [&text](std::string_view line) { text += std::string(line) + "\n"; };
      emit::stat_csv({table}, told, add);
      emit::stat_table(table, told, add);
      return text;
    };
    for (const char* counted : {R"("irqs")", R"("softirqs")", R"("syscalls")"})
      CHECK_THAT(text_of(true), !Catch::Contains(counted) && Catch::Contains(R"("faults":0)"));
    CHECK_THAT(text_of(true), Catch::Contains(",0,,,,"));
    CHECK_THAT(text_of(false), !Catch::Contains(R"("faults")") && Catch::Contains(",,,,,"));
    CHECK_THAT(text_of(false), Catch::Contains("         -  "));
  }
  emit::StatTable kinds;
  kinds.of_kinds = true;
  kinds.kinds = stat.kinds();
  emit::StatTold told{40, 1};
  told.calls = told.interrupts = false;
  CHECK_THAT(emit::stat_json({kinds}, told), Catch::Contains(R"({"name":"irq","own_ns":20})"));
}

TEST_CASE("calls may be told, and pieces of interrupts alone") {
  NameTable names;
  Stat stat(names, {});
  TraceInfo info;
  info.end = 20;
  info.cpus = {0};
  stat.begin(info);
  Made::run(stat, 0, 10, 0, 10, SpanKind::kSyscall);
  Call call;
  call.kind = SpanKind::kSyscall;
  call.pid = 10;
  call.cpu = 0;
  call.end = 10;
  stat.call(call);
  CHECK(stat.tells_interrupts());  // there were none
  Made::run(stat, 0, 10, 10, 20, SpanKind::kIrq);
  stat.end(info);
  CHECK(stat.tells_calls());
  CHECK_FALSE(stat.tells_interrupts());
  emit::StatTold told{20, 1};
  told.interrupts = false;
  const std::string json =
      emit::stat_json({{StatBy::kCpu, false, stat.rows(StatBy::kCpu, info), {}}}, told);
  CHECK_THAT(json, Catch::Contains(R"("syscalls":1)") && !Catch::Contains(R"("irqs")"));
}

TEST_CASE("every kind of call is counted, also the scheduler's") {
  NameTable names;
  for (const SpanKind kind : {SpanKind::kSyscall, SpanKind::kTrap, SpanKind::kIrq,
                              SpanKind::kSoftirq, SpanKind::kScheduler}) {
    Stat stat(names, {});
    Made::run(stat, 0, 10, 0, 10, kind);
    Call call;
    call.kind = kind;
    call.pid = 10;
    call.cpu = 0;
    call.end = 14;
    call.own = 10;
    call.on_cpu = 12;
    stat.call(call);
    const std::vector<reports::StatKind> kinds = stat.kinds();
    REQUIRE(kinds.size() == 1);
    CHECK(kinds[0].calls == 1);
    CHECK(kinds[0].own == 10);
    CHECK(kinds[0].with_called == 12);
    CHECK(kinds[0].durations.longest() == 14);
  }
}

TEST_CASE("where switches were not recorded none is counted") {
  NameTable names;
  for (const bool recorded : {false, true}) {
    Stat stat(names, {});
    TraceInfo info;
    info.end = 20;
    info.cpus = {0};
    info.facts.add(fact::kEvents, recorded ? fact::Words{"sched"} : fact::Words{"syscalls"});
    stat.begin(info);
    Made::run(stat, 0, 10, 0, 10, SpanKind::kUser);
    Made::run(stat, 0, kNoPid, 10, 20, SpanKind::kHidden);
    CHECK(stat.rows(StatBy::kCpu, info).front().sums.switches == (recorded ? 1 : 0));
  }
}

TEST_CASE("a table of rows says what it leaves out; CSV and JSON have all") {
  NameTable names;
  Stat stat(names, {});
  const Made made(names, stat);
  const emit::StatTable table{StatBy::kThread, false, stat.rows(StatBy::kThread, made.info), {}};
  const emit::StatTold told{1000, 2, true, true, 1};
  std::string text;
  emit::stat_table(table, told,
                   [&text](std::string_view line) { text += std::string(line) + "\n"; });
  CHECK_THAT(text, Catch::Contains("4 more") && Catch::Contains("total"));
  std::vector<std::string> csv;
  emit::stat_csv({table}, told, [&csv](std::string_view line) { csv.emplace_back(line); });
  REQUIRE(csv.size() == 6);
  for (const std::string& line : csv) {
    CHECK(std::ranges::count(line, ',') == std::ranges::count(csv[0], ','));
  }
  emit::StatTable kinds;
  kinds.of_kinds = true;
  std::vector<std::string> heads;
  emit::stat_csv({kinds, table, table}, told, [&heads](std::string_view line) {
    if (line.starts_with("by,")) heads.emplace_back(line);
  });
  REQUIRE(heads.size() == 2);  // one before rows of each form
  CHECK(heads[1] == csv[0]);
  const emit::StatTable cpus{StatBy::kCpu, false, stat.rows(StatBy::kCpu, made.info), {}};
  const std::string of_cpus = emit::stat_json({cpus}, told);
  for (const char* of_threads : {"waits_ns", "ready", "voluntary", "involuntary", "woken"})
    CHECK_THAT(of_cpus, !Catch::Contains(of_threads));
  emit::stat_csv({cpus}, told, [&csv](std::string_view line) { csv.emplace_back(line); });
  CHECK(std::ranges::count(csv.back(), ',') == std::ranges::count(csv[0], ','));
  CHECK_THAT(csv.back(),
             Catch::Contains(",0,0,,,,,,,1,,,,1,") && Catch::EndsWith(",,,,,,,,,,,,,,"));
  CHECK_THAT(emit::stat_json({table}, told),
             Catch::Contains(R"("waits_ns":{"ready":150,"disk":130})") &&
                 Catch::Contains(R"("voluntary":1)"));
}

}  // namespace kutrace::test
