// SPDX-License-Identifier: BSD-3-Clause
// Cases of one kind with one subject, summed up: how often, at what cost, from when to when, and
// which was the worst.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/add_time.h"
#include "base/time_window.h"

namespace kutrace::odd {

struct Cases {
  std::uint64_t count = 0;
  Ns cost = 0;
  TimeWindow when;  // from the first to the last
  TimeWindow worst;
  Ns worst_cost = 0;

  // Whether it is the worst so far.
  bool add(const TimeWindow& one, Ns its_cost) {
    when =
        count == 0 ? one : TimeWindow{std::min(when.begin, one.begin), std::max(when.end, one.end)};
    ++count;
    add_time(cost, its_cost);
    if (count != 1 && its_cost <= worst_cost) return false;
    worst = one;
    worst_cost = its_cost;
    return true;
  }
};

// And what the worst one was.
template <typename Case>
struct CasesOf : Cases {
  Case of_worst{};

  void add(const TimeWindow& one, Ns its_cost, const Case& which) {
    if (Cases::add(one, its_cost)) of_worst = which;
  }

  void add(const CasesOf& more) {
    if (more.count == 0) return;
    const bool worst_so_far = Cases::add(more.worst, more.worst_cost);
    if (worst_so_far) of_worst = more.of_worst;
    count += more.count - 1;
    add_time(cost, more.cost - more.worst_cost);
    when = {std::min(when.begin, more.when.begin), std::max(when.end, more.when.end)};
  }
};

}  // namespace kutrace::odd
