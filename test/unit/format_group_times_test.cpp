// SPDX-License-Identifier: BSD-3-Clause
// Sets of groups, and the times of those that are switched.
#include <catch2/catch.hpp>

#include "format/event_table.h"
#include "format/group_times.h"

namespace kutrace {
namespace {

Facts facts_with(std::initializer_list<const char*> changes) {
  Facts facts;
  facts.add("events", "syscalls,sched,faults");
  for (const char* const change : changes) facts.add("groups_change", change);
  return facts;
}

TEST_CASE("a change reads as it was written") {
  for (const char* const text : {"1200300 +net -faults", "-16 -syscalls", "0 +disk +locks"}) {
    const auto change = parse_group_change(text);
    REQUIRE(change);
    CHECK(parse_group_change(to_text(*change))->at == change->at);
    CHECK(parse_group_change(to_text(*change))->on == change->on);
    CHECK(parse_group_change(to_text(*change))->off == change->off);
  }
  for (const char* const text : {"", "x +net", "12", "12 net", "12 +nothing"})
    CHECK_FALSE(parse_group_change(text));
}

TEST_CASE("a group is off from where it was switched off to where it was switched on") {
  const GroupTimes times(facts_with({"300 +faults", "100 -faults", "500 -faults"}));
  CHECK(times.was_on(EventGroup::kFaults, 0, 100));
  CHECK(times.first_off(EventGroup::kFaults, 0, 101) == 100);
  CHECK(times.first_off(EventGroup::kFaults, 200, 300) == 200);
  CHECK(times.was_on(EventGroup::kFaults, 300, 500));
  CHECK(times.first_off(EventGroup::kFaults, 300, 900) == 500);
  CHECK(times.was_on(EventGroup::kSyscalls, 0, 900));
  CHECK(group_times_text(times, 0, 600) ==
        std::vector<std::string>{
            "faults: off 2 times, for 0.000000 s together, first at 0.000000 s"});
}

TEST_CASE("a group that is switched on was off before") {
  const GroupTimes times(facts_with({"300 +net"}));
  CHECK(times.off_at_first() == EventGroups::of_names({"net"}));
  CHECK(times.first_off(EventGroup::kNet, 0, 10) == 0);
  CHECK(times.was_on(EventGroup::kNet, 300, 1000));
}

// Each of two machines switches its own.
TEST_CASE("of several machines, a group is on where it is on everywhere") {
  Facts facts = facts_with({"100 -faults", "200 -faults", "300 +faults", "400 +faults"});
  const GroupTimes times(facts);
  CHECK(times.first_off(EventGroup::kFaults, 350, 390) == 350);
  CHECK(times.was_on(EventGroup::kFaults, 400, 1000));
}

TEST_CASE("words of a change say what is switched") {
  const EventGroups now = EventGroups::standard();
  const auto changed = EventGroups::parse_change(now, {"+disk", "-faults"});
  REQUIRE(changed);
  CHECK(changed->without(now) == EventGroups::of_names({"disk"}));
  CHECK(now.without(*changed) == EventGroups::of_names({"faults"}));
  for (const char* const wrong : {"disk", "+disks", "-sched", "+samples", "-", "+"})
    CHECK_FALSE(EventGroups::parse_change(now, {wrong}));
}

TEST_CASE("each event is of the group by which it is recorded") {
  CHECK(group_of(0x800) == EventGroup::kSyscalls);
  CHECK(group_of(0xa00) == EventGroup::kSyscalls);
  CHECK(group_of(ev::kSCHEDULER) == EventGroup::kSched);
  CHECK(group_of(ev::kPageFault | ev::kReturnBit) == EventGroup::kFaults);
  CHECK(group_of(ev::kBottomHalf) == EventGroup::kSoftirqs);
  CHECK(group_of(0x5ec) == EventGroup::kIrqs);
  CHECK(group_of(ev::kRUNNABLE) == EventGroup::kWakeups);
  CHECK(group_of(ev::kMARK_A) == EventGroup::kSyscalls);
  CHECK(group_of(ev::kTSDELTA) == EventGroup::kAlways);
  CHECK(group_of(kWideSyscall | 1100) == EventGroup::kSyscalls);
}

}  // namespace
}  // namespace kutrace
