// SPDX-License-Identifier: BSD-3-Clause
// The bucket, and what is shed.
#include "record/flight/governor.h"

#include <algorithm>

namespace kutrace::record {

namespace {

using enum EventGroup;

// Single subjects first; then what the fewest answers stand on.
constexpr auto kOrder = std::to_array<EventGroup>(
    {kPages, kMemory, kFaultAddresses, kTimers, kWorkqueue, kMigrations, kSockets, kSignals, kLocks,
     kDisk, kNet, kPower, kSoftirqs, kIrqs, kFaults, kSyscalls, kWakeups});

constexpr double kBucket_ns = 10e9;  // of what flows in
constexpr double kLow = 0.25;
constexpr double kHigh = 0.9;
constexpr double kMatters = 0.1;  // of what flows in
constexpr double kTarget = 0.8;   // likewise: what may remain
constexpr Ns kLeastHold = 10'000'000'000;
constexpr Ns kMostHold = 600'000'000'000;
constexpr int kHoldsToForget = 4;

}  // namespace

std::span<const EventGroup> order_of_shedding() { return kOrder; }

Governor::Governor(double share, std::size_t cpus, double ns_per_event, const EventGroups& wanted)
    : allowed_(share * static_cast<double>(cpus)),
      cpus_(cpus),
      ns_per_event_(ns_per_event),
      now_(wanted),
      level_(allowed_ * kBucket_ns),
      hold_(kLeastHold) {}

double Governor::cost_of(EventGroup group, const GroupCounts& events, Ns time) const {
  return static_cast<double>(events.of(group)) * ns_per_event_ / static_cast<double>(time);
}

EventGroups Governor::look(const Spent& spent) {
  const Spent before = last_.value_or(spent);
  const Ns time = spent.at - before.at;
  last_ = spent;
  if (time <= 0) return now_;
  const GroupCounts events = spent.events.since(before.events);
  const double own =
      static_cast<double>(spent.own_cpu - before.own_cpu) / static_cast<double>(time);
  const double recorded = static_cast<double>(events.sum()) * ns_per_event_;
  rate_ = own + recorded / static_cast<double>(time);
  const double full = allowed_ * kBucket_ns;
  level_ = std::min(full, level_ + (allowed_ - rate_) * static_cast<double>(time));
  is_helpless_ = false;
  if (level_ < kLow * full && rate_ > allowed_)
    shed(events, time, own);
  else if (level_ > kHigh * full && spent.at - changed_ >= hold_)
    take_back();
  return now_;
}

// The recorder's own time goes with the events that it reads.
void Governor::shed(const GroupCounts& events, Ns time, double own_rate) {
  const double recorded = rate_ - own_rate;
  const double with_own = recorded > 0 ? rate_ / recorded : 1;
  double remains = rate_;
  const std::size_t before = shed_.size();
  for (const EventGroup group : kOrder) {
    if (remains <= kTarget * allowed_) break;
    const double cost = cost_of(group, events, time) * with_own;
    if (!now_.has_bit(group) || cost < kMatters * allowed_) continue;
    now_.set(group, false);
    shed_.push_back(group);
    remains -= cost;
  }
  is_helpless_ = shed_.size() == before;
  if (is_helpless_) return;
  const bool again = returned_ != 0 && last_->at - returned_ < kHoldsToForget * hold_;
  hold_ = again ? std::min(2 * hold_, kMostHold) : kLeastHold;
  changed_ = last_->at;
}

void Governor::take_back() {
  if (shed_.empty()) return;
  now_.set(shed_.back(), true);
  shed_.pop_back();
  changed_ = returned_ = last_->at;
}

EventGroups Governor::wanted() const {
  EventGroups groups = now_;
  for (const EventGroup group : shed_) groups.set(group, true);
  return groups;
}

void Governor::choose(const EventGroups& wanted) {
  now_ = wanted;
  shed_.clear();
  hold_ = kLeastHold;
}

}  // namespace kutrace::record
