// SPDX-License-Identifier: BSD-3-Clause
// Sums, order and groups of profiles.
#include "reports/profile.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "emit/text/profile_text.h"
#include "filters/tiles.h"
#include "kutrace/abi.h"
#include "reports/law_check.h"
#include "reports/profile_page.h"

namespace kutrace::test {
namespace {

Span span_of(SpanKind kind, Ns start, Ns duration, CpuId cpu, Pid pid, NameId name) {
  Span span;
  span.kind = kind;
  span.start = start;
  span.duration = duration;
  span.cpu = cpu;
  span.pid = pid;
  span.name = name;
  return span;
}

TEST_CASE(
    "a profile has rows per CPU, thread and RPC, cells in order, waits only where they belong") {
  NameTable names;
  reports::Profile profile(names);
  const NameId server = names.intern("server");
  const NameId read = names.intern("read");
  const NameId wait = names.intern("wait_disk");
  const NameId idle = names.intern("-idle-");
  profile.push(span_of(SpanKind::kIdle, 0, 5000, 0, 0, idle));
  profile.push(span_of(SpanKind::kSyscall, 5000, 300, 0, 7, read));
  profile.push(span_of(SpanKind::kUser, 5300, 100, 0, 7, server));
  Span in_rpc = span_of(SpanKind::kUser, 5400, 200, 0, 7, server);
  in_rpc.rpc = 42;
  profile.push(in_rpc);
  profile.push(span_of(SpanKind::kWait, 5600, 1000, kNoCpu, 7, wait));
  TraceInfo info;
  info.threads[7].name = server;
  profile.end(info);
  const std::vector<reports::ProfileRow> rows = profile.rows(info);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name == "CPU 0");
  CHECK(rows[0].elapsed == 5600);
  CHECK(rows[0].on_cpu == 600);
  REQUIRE(rows[0].cells.size() == 3);
  CHECK(rows[0].cells[0].name == "server");
  CHECK(rows[0].cells[0].total == 300);
  CHECK(rows[0].cells[0].durations.longest() == 200);
  CHECK(rows[0].cells[1].name == "read");
  CHECK(rows[0].cells[2].name == "-idle-");
  CHECK(rows[1].name == "server.7");
  CHECK(rows[1].elapsed == 1600);
  CHECK(rows[1].cells.back().name == "wait_disk");
  CHECK(rows[2].name == "rpc.42");
  CHECK(rows[2].cells.size() == 1);
}

TEST_CASE("threads that had one number in turn have a row each, with their own names and calls") {
  NameTable names;
  reports::Profile profile(names);
  const NameId read = names.intern("read");
  const auto lives = [&](ThreadId id, const char* name, Ns begin, int calls) {
    const NameId named = names.intern(name);
    Span user = span_of(SpanKind::kUser, begin, 100, 0, 7, named);
    user.thread = id;
    profile.push(user);
    for (int i = 0; i < calls; ++i) {
      Call call;
      call.pid = 7;
      call.thread = id;
      call.cpu = 0;
      call.name = read;
      call.begin = begin;
      call.end = begin + 10;
      profile.call(call);
    }
    ThreadLife life{.thread = id, .pid = 7, .name = named, .begin = begin, .end = begin + 100};
    life.executing = 100;
    profile.life(life);
  };
  lives(ThreadId{1}, "alpha", 0, 6);
  lives(ThreadId{2}, "beta", 5000, 2);
  TraceInfo info;
  info.threads[7].name = names.intern("beta");
  profile.end(info);
  const std::vector<reports::ProfileRow> rows = profile.rows(info);
  REQUIRE(rows.size() == 3);
  CHECK(rows[1].name == "alpha.7");
  CHECK(rows[1].elapsed == 100);
  CHECK(rows[1].cells.back().durations.count() == 6);
  CHECK(rows[2].name == "beta.7");
  CHECK(rows[2].elapsed == 100);
  CHECK(rows[2].cells.back().durations.count() == 2);
}

TEST_CASE("rows of one name are grouped by elapsed time and averaged") {
  NameTable names;
  reports::Profile profile(names);
  const NameId worker = names.intern("worker");
  const NameId lonely = names.intern("lonely");
  profile.push(span_of(SpanKind::kUser, 0, 1'000'000, 0, 1, worker));
  profile.push(span_of(SpanKind::kUser, 0, 1'200'000, 1, 2, worker));
  profile.push(span_of(SpanKind::kUser, 0, 9'000'000, 2, 3, worker));
  profile.push(span_of(SpanKind::kUser, 0, 5'000, 3, 4, lonely));
  TraceInfo info;
  std::vector<std::string> found;
  profile.end(info);
  for (const reports::ProfileRow& row : reports::grouped_rows(profile.rows(info), false)) {
    found.push_back(row.name + " " + std::to_string(row.merged));
  }
  CHECK(found ==
        std::vector<std::string>{"CPU_AVG 4", "worker_AVG 3", "worker_1ms 2", "worker_8ms 1"});
  CHECK(reports::grouped_rows(profile.rows(info), true).size() == found.size() + 2);
}

TEST_CASE("the mean IPC weighs by time and reads nibbles as the trace's flags say") {
  NameTable names;
  reports::Profile profile(names);
  Span span = span_of(SpanKind::kUser, 0, 100, 0, 1, names.intern("a"));
  span.ipc = 8;  // 1.0 to 1.25: 18/16
  profile.push(span);
  span.start = 100;
  span.duration = 300;
  span.ipc = 12;  // 2.0 to 2.5: 36/16
  profile.push(span);
  TraceInfo info;
  profile.end(info);
  CHECK(profile.rows(info)[0].cells[0].ipc == 0);
  info.flags = KUTRACE_FLAG_IPC;
  CHECK(profile.rows(info)[0].cells[0].ipc == Approx((18.0 * 100 + 36 * 300) / 400 / 16));
}

TEST_CASE("quantiles are at most a sixteenth off") {
  std::mt19937_64 random(1);
  reports::DurationHistogram histogram;
  std::vector<Ns> durations;
  for (int i = 0; i < 20'000; ++i) {
    durations.push_back(static_cast<Ns>(random() >> (20 + random() % 40)));
    histogram.add(durations.back());
  }
  std::sort(durations.begin(), durations.end());
  for (const double part : {0.01, 0.5, 0.9, 0.99, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(part * 20'000)) - 1;
    const auto exact = static_cast<double>(durations[rank]);
    CHECK(std::abs(static_cast<double>(histogram.quantile(part)) - exact) <= exact / 16 + 1);
  }
  CHECK(reports::DurationHistogram().quantile(0.5) == 0);
}

TEST_CASE("names are quoted in CSV and escaped in JSON") {
  NameTable names;
  reports::Profile profile(names);
  profile.push(span_of(SpanKind::kUser, 0, 100, 0, 1, names.intern("a,\"b\"")));
  TraceInfo info;
  profile.end(info);
  const auto rows = profile.rows(info);
  std::string csv;
  emit::profile_csv(rows, [&csv](std::string_view line) { csv += std::string(line) + "\n"; });
  CHECK(csv.find("\"a,\"\"b\"\"\"") != std::string::npos);
  CHECK(emit::profile_json(rows).find("a,\\\"b\\\"") != std::string::npos);
}

TEST_CASE("a profile laid out as spans keeps the law and every sum, waits behind what executed") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    NameTable names;
    const Tiles tiles = random_tiles(names, seed, 3, 500, 1000);
    reports::Profile profile(names);
    std::map<Pid, Ns> executing;
    for (const Span& span : tiles.spans) {
      profile.push(span);
      if (span.pid > 0) executing[span.pid] += span.duration;
    }
    REQUIRE(!executing.empty());
    const Pid waiter = executing.begin()->first;
    Span wait = span_of(SpanKind::kWait, 10, 777, kNoCpu, waiter, names.intern("wait_disk"));
    wait.event = 0x303;
    profile.push(wait);
    TraceInfo known = tiles.info;
    profile.end(known);
    const std::vector<reports::ProfileRow> rows = profile.rows(known);
    Collector out;
    TraceInfo info = reports::lay_out_profile(rows, tiles.info, names, out);
    reports::LawCheck law;
    std::map<Pid, Ns> laid_out;
    for (const Span& span : out.spans) {
      law.push(span);
      if (is_execution(span.kind) && span.pid > 0) laid_out[span.pid] += span.duration;
      if (span.kind != SpanKind::kWait) continue;
      CHECK(span.event == 0x303);
      CHECK(span.pid == waiter);
      CHECK(span.duration == 777);
      CHECK(span.start == executing[waiter]);
    }
    CAPTURE(seed);
    law.end(info);
    CHECK(law.report().holds());
    CHECK(laid_out == executing);
    CHECK(info.cpus.size() == rows.size());
  }
}

}  // namespace
}  // namespace kutrace::test
