// SPDX-License-Identifier: BSD-3-Clause
// Times of threads, interval by interval, from events alone.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "live/thread_times.h"

namespace kutrace::test {
namespace {

constexpr Ns kMs = 1'000'000;
constexpr Pid kShort = 20;

timeline::Event switch_at(Ns time, std::uint32_t arg) {
  timeline::Event event;
  event.time = time;
  event.cpu = 0;
  event.entry.number = ev::kUSERPID;
  event.entry.arg = arg;
  event.entry.words = 1;
  return event;
}

live::ThreadRow row_of(const live::TimesOfInterval& times, Pid pid) {
  const auto found = std::ranges::find(times.threads, pid, &live::ThreadRow::tid);
  REQUIRE(found != times.threads.end());
  return *found;
}

TEST_CASE("a thread that has ended waits for nothing", "[live]") {
  for (const bool is_gone : {true, false}) {
    live::ThreadTimes times;
    times.event(switch_at(0, 10));
    times.event(switch_at(100 * kMs, kShort | KUTRACE_SWITCH_BLOCKED));
    times.event(switch_at(150 * kMs, 10 | KUTRACE_SWITCH_BLOCKED));
    const auto interval = times.take(1000 * kMs, [&](Pid pid) { return is_gone && pid == kShort; });
    const live::ThreadRow row = row_of(interval, kShort);
    CHECK(row.on_cpu == 50 * kMs);
    CHECK(row.under_way == (is_gone ? 0 : 850 * kMs));
    CHECK(row.unseen == (is_gone ? 950 * kMs : 100 * kMs));
  }
}

}  // namespace
}  // namespace kutrace::test
