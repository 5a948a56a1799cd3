// SPDX-License-Identifier: BSD-3-Clause
// The programs of doc/walkthrough.md: every mark of theirs is in the trace, and its commands work.
#include <algorithm>
#include <catch2/catch.hpp>

#include "format/event_table.h"
#include "live/live_support.h"

namespace kutrace::live {

namespace {

// How often each label begins something.
std::int64_t marks(const std::vector<Seen>& events, std::uint64_t label) {
  return std::ranges::count_if(
      events, [&](const Seen& seen) { return seen.event == ev::kMARK_A && seen.arg == label; });
}

constexpr std::uint64_t kReqst = 18 + 40 * (5 + 40 * (17 + 40 * (19 + 40 * 20)));
constexpr std::uint64_t kFrame = 6 + 40 * (18 + 40 * (1 + 40 * (13 + 40 * 5)));

}  // namespace

TEST_CASE("each request of the walkthrough is marked, and its thread has a row") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("request.raw");
  REQUIRE(
      shell("cd " + folder.file("") + " && $KUTRACE record -o " + trace + " -- $REQUEST").status ==
      0);
  require_law(trace);
  CHECK(marks(events_of(trace), kReqst) == 800);
  const Outcome drawn = shell("$KUTRACE svg --around reqst±2ms --name 'kutrace-req*' " + trace);
  CHECK(drawn.status == 0);
  CHECK(drawn.out.find("kutrace-request") != std::string::npos);
}

TEST_CASE("each frame of the walkthrough is marked") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("frame.raw");
  REQUIRE(shell("$KUTRACE record -o " + trace + " -- $FRAME").status == 0);
  require_law(trace);
  CHECK(marks(events_of(trace), kFrame) == 180);
}

}  // namespace kutrace::live
