// SPDX-License-Identifier: BSD-3-Clause
// Waiting for two rounds.
#include "read/perf_data/perf_order.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace kutrace::read {

namespace {

// A file without rounds is sorted by so many bytes: most of a second of a million records a second.
// Sorting takes as much again.
constexpr std::size_t kMostWaiting = (std::size_t{128} << 20) / sizeof(PerfItem);

}  // namespace

Status PerfOrder::push(const PerfItem& item) {
  newest_ = std::max(newest_, item.event.time);
  waiting_.push_back(item);
  if (waiting_.size() < kMostWaiting) return {};
  std::vector<Ns> times;
  times.reserve(waiting_.size());
  for (const PerfItem& waiting : waiting_) times.push_back(waiting.event.time);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return flush(*middle);
}

Status PerfOrder::end_of_round() {
  const Ns until = std::exchange(round_before_, newest_);
  return flush(until);
}

Status PerfOrder::finish() { return flush(std::numeric_limits<Ns>::max()); }

Status PerfOrder::flush(Ns until) {
  const auto later =
      std::stable_partition(waiting_.begin(), waiting_.end(),
                            [until](const PerfItem& item) { return item.event.time <= until; });
  std::stable_sort(waiting_.begin(), later, [](const PerfItem& a, const PerfItem& b) {
    return a.event.time < b.event.time;
  });
  for (auto item = waiting_.begin(); item != later; ++item) KUTRACE_TRY(take_(*item));
  waiting_.erase(waiting_.begin(), later);
  return {};
}

}  // namespace kutrace::read
