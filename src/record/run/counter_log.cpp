// SPDX-License-Identifier: BSD-3-Clause
// Comparing with what was read before.
#include "record/run/counter_log.h"

#include <algorithm>
#include <set>
#include <utility>

namespace kutrace::record {

namespace {

constexpr Ns kLook = 1'000'000'000;  // between two looks at all processes and groups, at least

}  // namespace

CounterLog::CounterLog() : rounds_a_look_(0) { quotas_.choose(); }

CounterLog::CounterLog(std::optional<ProcessCounters> processes, Ns period)
    : rounds_a_look_(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(kLook / period))),
      processes_(std::move(processes)),
      machine_(std::in_place) {}

void CounterLog::follow(Pid process) {
  if (!processes_) return;
  processes_->follow(process);
  processes_->choose();
}

void CounterLog::read(Ticks at) {
  std::vector<Measured> values;
  const bool looks = rounds_a_look_ != 0 && rounds_ % rounds_a_look_ == 0;
  if (machine_) machine_->read(values);
  if (processes_) {
    if (looks) processes_->choose();
    processes_->read(values);
  }
  if (looks) quotas_.choose();
  quotas_.read(values);
  take(at, values);
}

void CounterLog::take(Ticks at, const std::vector<Measured>& values) {
  ++rounds_;
  CounterReading reading{static_cast<std::int64_t>(at), {}};
  for (const Measured& measured : values) {
    const auto [place, is_new] =
        known_.try_emplace(Key(measured.process, measured.started, measured.name));
    Known& known = place->second;
    if (is_new) {
      known.number = numbers_++;
      new_.series.push_back({known.number, measured.is_total, std::string(measured.unit),
                             measured.process, measured.name});
    }
    known.round = rounds_;
    if (known.value == measured.value) continue;
    known.value = measured.value;
    reading.values.push_back({known.number, measured.value});
  }
  for (auto& [key, known] : known_) {
    if (known.round == rounds_ || !known.value) continue;
    known.value.reset();
    reading.values.push_back({known.number, std::nullopt});
  }
  if (!reading.values.empty()) new_.readings.push_back(std::move(reading));
}

void CounterLog::keep(std::size_t readings) {
  if (new_.readings.size() <= 2 * readings) return;
  const CounterReading& first = new_.readings[new_.readings.size() - readings];
  cut_readings(new_.readings, first.at, new_.readings.back().at);
  std::set<std::uint32_t> told;
  for (const CounterReading& reading : new_.readings)
    for (const CounterValue& value : reading.values) told.insert(value.number);
  std::erase_if(new_.series,
                [&](const CounterSeries& series) { return !told.contains(series.number); });
  std::erase_if(known_, [&](const auto& known) {
    return !known.second.value && !told.contains(known.second.number);
  });
}

}  // namespace kutrace::record
