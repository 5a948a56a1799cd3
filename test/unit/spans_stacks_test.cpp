// SPDX-License-Identifier: BSD-3-Clause
// Stacks: from entries to the names that waits have, and to what is summed up of them.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "reports/stack_profile.h"
#include "support/event_numbers.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

constexpr std::uint32_t kBlocked = KUTRACE_SWITCH_BLOCKED;

TraceBuilder with_stacks() {
  TraceBuilder b;
  b.name(kind::kSTACK, 0 << 8, "1 0 400010 400111");  // inner, called by outer
  b.name(kind::kSTACK, 1 << 8, "2 0 ffffffff81000010 ffffffff81000123");
  b.name(kind::kSYMBOL, 0 << 8, "10 0 400000 400100 inner");
  b.name(kind::kSYMBOL, 1 << 8, "10 0 400100 400111 outer;1");  // its call is its last
  b.name(kind::kSYMBOL, 2 << 8, "0 0 ffffffff81000000 ffffffff81000100 __schedule");
  return b;
}

TraceBuilder& stacks(TraceBuilder& b, Ticks time, std::uint32_t user, std::uint32_t kernel) {
  return b.words_at(time, kind::kSTACKS, 0, {std::uint64_t{user} << 32 | kernel});
}

// "stack start+duration" of the waits of a thread.
std::vector<std::string> waits(const Replay& r, Pid pid) {
  std::vector<std::string> lines;
  for (const Span& span : r.spans) {
    if (span.kind != SpanKind::kWait || span.pid != pid) continue;
    lines.push_back(r.names.text(span.stack) + " " + std::to_string(span.start) + "+" +
                    std::to_string(span.duration));
  }
  return lines;
}

TEST_CASE("a wait has the stack that its thread went away with, until it runs") {
  TraceBuilder b = with_stacks();
  b.cpu(0, 10);
  stacks(b, 20, 1, 2).at(20, ev::kUSERPID, 20 | kBlocked);
  b.at(50, ev::kRUNNABLE, 10).at(80, ev::kUSERPID, 10 | kBlocked);
  b.at(90, ev::kUSERPID, 20 | kBlocked).at(95, ev::kUSERPID, 10 | kBlocked);
  const Replay r = replayed(b, 100);
  const std::string all = "outer,1;inner;0xffffffff81000122;__schedule";
  CHECK(waits(r, 10) == std::vector<std::string>{all + " 320+480", all + " 800+480", " 1440+80"});
}

TEST_CASE("a stack that is not known, or had no room, is said") {
  TraceBuilder b = with_stacks();
  b.cpu(0, 10);
  stacks(b, 20, KUTRACE_STACK_LOST, 7).at(20, ev::kUSERPID, 20 | kBlocked);
  b.at(80, ev::kUSERPID, 10 | kBlocked);
  CHECK(waits(replayed(b, 100), 10) ==
        std::vector<std::string>{"[no room for the stack];[stack not recorded] 320+960"});
}

TEST_CASE("what stands before another entry, or at another time, is of nothing") {
  TraceBuilder b = with_stacks();
  b.cpu(0, 10);
  stacks(b, 19, 1, 2).at(20, ev::kUSERPID, 20 | kBlocked);
  b.at(80, ev::kUSERPID, 10 | kBlocked);
  CHECK(waits(replayed(b, 100), 10) == std::vector<std::string>{" 320+960"});
}

TEST_CASE("waits by stack add up to all waits") {
  TraceBuilder b = with_stacks();
  b.name(kind::kPID_NAME, 10, "server").name(kind::kPID_NAME, 20, "server");
  b.cpu(0, 10);
  stacks(b, 20, 1, 0).at(20, ev::kUSERPID, 20 | kBlocked);
  stacks(b, 60, 1, 0).at(60, ev::kUSERPID, 10 | kBlocked);
  b.at(90, ev::kUSERPID, 20 | kBlocked).at(95, ev::kUSERPID, 10 | kBlocked);
  const Replay r = replayed(b, 100);
  reports::StackProfile profile(r.names);
  Ns all = 0;
  for (const Span& span : r.spans) {
    profile.push(span);
    if (span.kind == SpanKind::kWait) all += span.duration;
  }
  REQUIRE(profile.has_stacks());
  Ns sum = 0;
  for (const reports::StackRow& row : profile.rows(r.info, true)) sum += row.time;
  CHECK(sum == all);
  // The second thread's addresses are of another process, and have no names.
  const auto rows = profile.rows(r.info, false);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].thread == "server");
  CHECK(rows[0].stack == "outer,1;inner");
  CHECK(rows[0].time == 640);
  CHECK(rows[1].stack == "0x400110;0x400010");
  CHECK(rows[1].time == 480);
  CHECK(rows[2].stack.empty());
}

}  // namespace
}  // namespace kutrace::test
