// SPDX-License-Identifier: BSD-3-Clause
// Keeps what a recorder costs below a share of the machine. In: what it recorded and used until
// now; out: which groups of events are to be recorded from now on.
//
// What it may spend flows into a bucket that holds ten seconds' worth, and what it costs flows out:
// events x what one costs, and the CPU time of the recorder itself. So over any time T it costs at
// most the share of T and ten seconds, as long as there is something to shed. When a quarter is
// left, groups are shed in a fixed order, but only those that matter, until what remains costs less
// than flows in. They come back one by one, the last first, when the bucket is nearly full and some
// time has passed; twice as much when one had to be shed again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "format/event_groups.h"
#include "record/blocks/tally.h"

namespace kutrace::record {

class Governor {
 public:
  struct Spent {
    Ns at = 0;       // when it was looked
    Ns own_cpu = 0;  // of the recorder
    GroupCounts events{};
  };

  // `share` of the time of so many CPUs, 0..1.
  Governor(double share, std::size_t cpus, double ns_per_event, const EventGroups& wanted);

  // To be asked a few times a second.
  EventGroups look(const Spent& spent);
  // What is recorded, and what was shed of it.
  EventGroups wanted() const;
  // Somebody else chose what is recorded.
  void choose(const EventGroups& wanted);
  // What it cost of the machine between the last two looks, 0..1.
  double share_now() const { return rate_ / static_cast<double>(cpus_); }
  // More is spent than may be, and nothing is left that could be shed.
  bool is_helpless() const { return is_helpless_; }

 private:
  void shed(const GroupCounts& events, Ns time, double own_rate);
  void take_back();
  double cost_of(EventGroup group, const GroupCounts& events, Ns time) const;

  double allowed_;  // ns of CPU time per ns
  std::size_t cpus_;
  double ns_per_event_;
  EventGroups now_;
  std::vector<EventGroup> shed_;  // the last one last
  std::optional<Spent> last_;     // what it took to begin does not count
  double level_;                  // ns of CPU time that are left
  double rate_ = 0;
  Ns changed_ = 0;  // last time
  Ns returned_ = 0;
  Ns hold_;
  bool is_helpless_ = false;
};

// The order in which groups are shed. Others never are: without switches no time has an owner.
std::span<const EventGroup> order_of_shedding();

}  // namespace kutrace::record
