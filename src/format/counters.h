// SPDX-License-Identifier: BSD-3-Clause
// What a reader counts beside events: remarks, repairs and damage, listed in format/counters.def.
// In: one occurrence at a time; out: the counts, by severity and name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kutrace {

enum class Severity : std::uint8_t { kNote, kRepair, kDamage };

enum class Counter : std::uint8_t {
#define KUTRACE_COUNTER(id, name, severity, sentence) k##id,
#include "format/counters.def"
  kCount
};

constexpr std::size_t kCounterKinds = static_cast<std::size_t>(Counter::kCount);

const char* severity_name(Severity severity);

class Counters {
 public:
  using Named = std::map<std::string, std::uint64_t>;

  void add(Counter counter, std::uint64_t times = 1) {
    counts_[static_cast<std::size_t>(counter)] += times;
  }
  void add(const Counters& counters);
  // By name, as a page tells it. `severity` counts for names that this program does not know.
  void add(std::string_view name, Severity severity, std::uint64_t times);

  std::uint64_t of(Counter counter) const { return counts_[static_cast<std::size_t>(counter)]; }
  // Those that are not 0.
  Named named(Severity severity) const;
  bool any(Severity severity) const { return !named(severity).empty(); }

 private:
  std::array<std::uint64_t, kCounterKinds> counts_{};
  std::array<Named, 3> others_;  // by severity: of other versions of this program
};

}  // namespace kutrace
