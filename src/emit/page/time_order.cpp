// SPDX-License-Identifier: BSD-3-Clause
// Counting sorts, lowest bits first, see time_order.h.
#include "emit/page/time_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace kutrace::emit {
namespace {

constexpr int kBits = 11;  // of a pass
constexpr std::size_t kFew = 256;

struct Timed {
  std::uint64_t after = 0;  // the first of all
  std::uint32_t place = 0;
};

void pass(const std::vector<Timed>& from, std::vector<Timed>& to, int shift) {
  constexpr std::uint64_t kMask = (1u << kBits) - 1;
  std::array<std::uint32_t, std::size_t{1} << kBits> next{};
  for (const Timed& timed : from) ++next[timed.after >> shift & kMask];
  std::uint32_t before = 0;
  for (std::uint32_t& count : next) before += std::exchange(count, before);
  for (const Timed& timed : from) to[next[timed.after >> shift & kMask]++] = timed;
}

}  // namespace

std::vector<std::uint32_t> time_order(std::span<const Ns> times) {
  std::vector<std::uint32_t> order(times.size());
  std::iota(order.begin(), order.end(), 0u);
  if (times.size() < kFew) {
    std::ranges::stable_sort(order, {}, [&](std::uint32_t place) { return times[place]; });
    return order;
  }
  const auto [first, last] = std::ranges::minmax(times);
  std::vector<Timed> timed(times.size());
  for (const std::uint32_t place : order) {
    timed[place] = {static_cast<std::uint64_t>(times[place]) - static_cast<std::uint64_t>(first),
                    place};
  }
  std::vector<Timed> other(times.size());
  const auto bits = static_cast<int>(
      std::bit_width(static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)));
  for (int shift = 0; shift < bits; shift += kBits) {
    pass(timed, other, shift);
    timed.swap(other);
  }
  std::ranges::transform(timed, order.begin(), &Timed::place);
  return order;
}

}  // namespace kutrace::emit
