// SPDX-License-Identifier: BSD-3-Clause
// What a governor sheds, and when: two CPUs, one percent, 100 ns an event.
#include <catch2/catch.hpp>

#include "record/flight/governor.h"

namespace kutrace::record {
namespace {

constexpr Ns kSecond = 1'000'000'000;
constexpr Ns kLook = kSecond / 10;
constexpr double kCost = 100;

// Events of a group, per second, while it is recorded.
struct Load {
  EventGroup group;
  double rate;
};

class Machine {
 public:
  explicit Machine(double share) : governor_(share, 2, kCost, EventGroups::standard()) {}

  // For so long; returns what it cost of the machine, 0..1.
  double run(double seconds, std::initializer_list<Load> loads, double own = 0) {
    double cost = 0;
    const Ns until = spent_.at + static_cast<Ns>(seconds * kSecond);
    while (spent_.at < until) {
      spent_.at += kLook;
      spent_.own_cpu += static_cast<Ns>(own * kLook);
      cost += own * kLook;
      for (const Load& load : loads) {
        if (!now_.has(load.group)) continue;
        const auto count = static_cast<std::uint64_t>(load.rate / 10);
        spent_.events.add(load.group, count);
        cost += static_cast<double>(count) * kCost;
      }
      const EventGroups before = now_;
      now_ = governor_.look(spent_);
      changes_ += before == now_ ? 0u : 1u;
    }
    return cost / (2 * seconds * kSecond);
  }
  const EventGroups& now() const { return now_; }
  unsigned changes() const { return changes_; }
  const Governor& governor() const { return governor_; }

 private:
  Governor governor_;
  Governor::Spent spent_;
  EventGroups now_ = EventGroups::standard();
  unsigned changes_ = 0;
};

// A percent of two CPUs is 200,000 events a second.
TEST_CASE("a load below the share sheds nothing") {
  Machine machine(0.01);
  machine.run(600, {{EventGroup::kSyscalls, 100'000}, {EventGroup::kSched, 50'000}});
  CHECK(machine.changes() == 0);
}

TEST_CASE("a storm is shed before ten seconds' worth is spent, and only what makes it") {
  Machine machine(0.01);
  machine.run(60, {{EventGroup::kSyscalls, 20'000}});
  const double cost = machine.run(60, {{EventGroup::kSyscalls, 10'000'000}});
  CHECK(cost <= 0.01 * (60 + 10) / 60);
  CHECK(machine.changes() >= 1);
}

TEST_CASE("what matters little stays, in whatever order") {
  Machine machine(0.01);
  machine.run(10, {{EventGroup::kSyscalls, 2'000'000}, {EventGroup::kNet, 1'000}});
  CHECK_FALSE(machine.now().has(EventGroup::kSyscalls));
  CHECK(machine.now().has(EventGroup::kNet));
  CHECK(machine.now().has(EventGroup::kWakeups));
}

TEST_CASE("of two that matter, the first in order is shed alone if that is enough") {
  Machine machine(0.01);
  machine.run(10, {{EventGroup::kFaults, 2'000'000}, {EventGroup::kSyscalls, 100'000}});
  CHECK_FALSE(machine.now().has(EventGroup::kFaults));
  CHECK(machine.now().has(EventGroup::kSyscalls));
}

TEST_CASE("a group comes back when the storm is over") {
  Machine machine(0.01);
  machine.run(5, {{EventGroup::kSyscalls, 10'000'000}});
  CHECK_FALSE(machine.now().has(EventGroup::kSyscalls));
  CHECK(machine.governor().wanted() == EventGroups::standard());
  machine.run(30, {{EventGroup::kSyscalls, 1'000}});
  CHECK(machine.now() == EventGroups::standard());
  CHECK(machine.changes() == 2);
  CHECK(machine.governor().wanted() == EventGroups::standard());
}

// Ten seconds, twenty, forty, ...: in an hour a few times, not three hundred.
TEST_CASE("a storm that goes on is tried less and less often") {
  Machine machine(0.01);
  const double cost = machine.run(3600, {{EventGroup::kSyscalls, 10'000'000}});
  CHECK(machine.changes() < 30);
  CHECK(cost <= 0.01);
}

TEST_CASE("it says when nothing is left to shed") {
  Machine machine(0.01);
  machine.run(60, {{EventGroup::kSched, 10'000'000}});
  CHECK(machine.governor().is_helpless());
  CHECK(machine.changes() == 0);
  Machine own(0.01);
  own.run(60, {}, 0.5);
  CHECK(own.governor().is_helpless());
}

TEST_CASE("a choice of somebody else's is kept until it costs too much") {
  Governor governor(0.01, 2, kCost, EventGroups::standard());
  const EventGroups chosen = EventGroups::of_names({"sched", "syscalls"});
  governor.choose(chosen);
  CHECK(governor.look({.at = kSecond, .own_cpu = 0, .events = {}}) == chosen);
}

}  // namespace
}  // namespace kutrace::record
