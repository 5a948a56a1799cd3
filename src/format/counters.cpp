// SPDX-License-Identifier: BSD-3-Clause
// The table of counters, and questions about it.
#include "format/counters.h"

#include <algorithm>

namespace kutrace {

namespace {

struct Row {
  std::string_view name;
  Severity severity;
};

// The severities as the table writes them.
constexpr Severity note = Severity::kNote;
constexpr Severity repair = Severity::kRepair;
constexpr Severity damage = Severity::kDamage;

constexpr Row kRows[] = {
#define KUTRACE_COUNTER(id, name, severity, sentence) {name, severity},
#include "format/counters.def"
};

const Row* find(std::string_view name) {
  const auto* const row = std::ranges::find(kRows, name, &Row::name);
  return row != std::end(kRows) ? row : nullptr;
}

}  // namespace

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kRepair:
      return "repair";
    case Severity::kDamage:
      return "damage";
  }
  return "";
}

void Counters::add(std::string_view name, Severity severity, std::uint64_t times) {
  if (const Row* const row = find(name); row != nullptr) {
    counts_[static_cast<std::size_t>(row - kRows)] += times;
  } else if (times != 0) {
    others_[static_cast<std::size_t>(severity)][std::string(name)] += times;
  }
}

void Counters::add(const Counters& counters) {
  for (std::size_t i = 0; i < kCounterKinds; ++i) counts_[i] += counters.counts_[i];
  for (std::size_t i = 0; i < others_.size(); ++i) {
    for (const auto& [name, times] : counters.others_[i]) others_[i][name] += times;
  }
}

Counters::Named Counters::named(Severity severity) const {
  Named named = others_[static_cast<std::size_t>(severity)];
  for (std::size_t i = 0; i < kCounterKinds; ++i) {
    if (kRows[i].severity == severity && counts_[i] != 0) {
      named.emplace(kRows[i].name, counts_[i]);
    }
  }
  return named;
}

}  // namespace kutrace
