// SPDX-License-Identifier: BSD-3-Clause
// Time as ticks and text, see time_axis.h.
#include "emit/figure/time_axis.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

namespace kutrace::emit {
namespace {

struct Unit {
  double size;
  const char* name;
};
constexpr std::array<Unit, 4> kUnits = {{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};
constexpr Ns kSecond = 1'000'000'000;

const Unit& unit_of(double ns) {
  const auto* found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& unit) { return ns >= unit.size; });
  return found == kUnits.end() ? kUnits.back() : *found;
}

double tick_step(double ns, double count) {
  const double rough = ns / std::max(count, 1.0);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1, 2, 5}) {
    if (factor * power >= rough) return std::max(1.0, factor * power);
  }
  return std::max(1.0, 10 * power);
}

}  // namespace

TimeAxis time_axis(Ns begin, Ns end, double count) {
  TimeAxis axis;
  if (end <= begin) return axis;
  const double rough = tick_step(static_cast<double>(end - begin), count);
  const Unit& unit = unit_of(rough);
  const int digits =
      std::max(0, -static_cast<int>(std::floor(std::log10(rough / unit.size) + 1e-9)));
  if (unit.size < 1e9) {
    const auto whole = static_cast<Ns>(unit.size * 1000);
    axis.base = std::max<Ns>(0, begin) / whole * whole;
  }
  // Late times have more digits than a double.
  const Ns step = std::llround(rough);
  const Ns first = (begin / step + (begin % step > 0 ? 1 : 0)) * step;
  for (Ns time = first; time <= end; time += step) {
    axis.ticks.push_back(
        {static_cast<double>(time),
         fmt::format("{:.{}f} {}", static_cast<double>(time - axis.base) / unit.size, digits,
                     unit.name)});
  }
  return axis;
}

std::string duration_text(Ns duration) {
  const auto ns = static_cast<double>(duration);
  const Unit& unit = unit_of(std::abs(ns));
  const double value = ns / unit.size;
  const int before = value == 0 ? 4 : static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return fmt::format("{:.{}f} {}", value, std::clamp(4 - before, 0, 3), unit.name);
}

std::string exact_time(Ns time) {
  const Ns all = std::abs(time);
  const Ns rest = all % kSecond;
  return fmt::format("{}{}.{:03}\u202f{:03}\u202f{:03} s", time < 0 ? "-" : "", all / kSecond,
                     rest / 1'000'000, rest / 1000 % 1000, rest % 1000);
}

std::string wall_text(std::uint64_t wall_usec) {
  const auto seconds = static_cast<std::time_t>(wall_usec / 1'000'000);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(seconds));
}

}  // namespace kutrace::emit
