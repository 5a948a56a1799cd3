// SPDX-License-Identifier: BSD-3-Clause
// Ranges are counted with more bits than their numbers have, so that every bound is reached.
#include "base/number_list.h"

#include "base/number_text.h"

namespace kutrace {

namespace {

constexpr NumberLimits kCpuLimits = {.largest = 8191, .most = 8192};

// Takes what stands before the separator, or all there is, off the text.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

// One number or one range; false if it is none, or is beyond the limits.
bool add_range(std::string_view range, const NumberLimits& limits, NumberList& list) {
  const bool single = range.find('-') == std::string_view::npos;
  const auto first = parse_number<std::uint32_t>(take(range, '-'));
  const auto last = single ? first : parse_number<std::uint32_t>(range);
  if (!first || !last || *last < *first || *last > limits.largest) return false;
  const std::uint64_t count = std::uint64_t{*last} - *first + 1;
  if (count > limits.most - list.numbers.size()) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    list.numbers.push_back(static_cast<std::uint32_t>(*first + i));
  }
  return true;
}

}  // namespace

NumberList read_number_list(std::string_view text, const NumberLimits& limits) {
  NumberList list;
  bool more = true;
  while (more) {
    more = text.find(',') != std::string_view::npos;
    if (!add_range(take(text, ','), limits, list)) return list;
  }
  list.whole = true;
  return list;
}

std::vector<CpuId> parse_cpu_list(std::string_view text) {
  return read_number_list(text, kCpuLimits).numbers;
}

}  // namespace kutrace
