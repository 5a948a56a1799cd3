// SPDX-License-Identifier: BSD-3-Clause
// Reading lengths of time.
#include "base/time_length.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace kutrace {

namespace {

constexpr std::array<std::pair<std::string_view, Ns>, 7> kUnits = {{{"ns", 1},
                                                                    {"us", 1'000},
                                                                    {"ms", 1'000'000},
                                                                    {"s", 1'000'000'000},
                                                                    {"m", 60'000'000'000},
                                                                    {"min", 60'000'000'000},
                                                                    {"h", 3'600'000'000'000}}};
// Longer recordings do not exist, and sums stay far below 63 bits.
constexpr double kMost = 0x1p60;

}  // namespace

Result<Ns> parse_time(std::string_view text, Ns default_unit) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const std::string_view unit(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  Ns factor = unit.empty() ? default_unit : 0;
  for (const auto& [name, ns] : kUnits) {
    if (unit == name) factor = ns;
  }
  const double ns = number * static_cast<double>(factor);
  if (parsed.ec != std::errc() || factor == 0 || !(ns >= 0 && ns < kMost)) {
    return fail(usage_error("'" + std::string(text) + "' is not a length of time")
                    .with_hint("write for example 1.5s, 20ms, 300us, 250ns, 5m or 2h"));
  }
  return static_cast<Ns>(std::llround(ns));
}

}  // namespace kutrace
