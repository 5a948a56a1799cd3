// SPDX-License-Identifier: BSD-3-Clause
// Costs of pieces of work that are run in turn, several rounds: medians, so that one disturbed
// round does not count.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kutrace::bench {

struct Cost {
  double cpu = 0;               // seconds, of all threads
  double wall = 0;              // seconds
  std::uint64_t anonymous = 0;  // largest anonymous memory seen, bytes; 0: not measured
};

struct Work {
  std::string name;
  std::function<Result<Cost>()> run;
};

// The cost of `work` in this process.
Result<Cost> cost_here(const std::function<Status()>& work);

// The cost of a program with its output thrown away; its memory is read every 2 ms. An error if it
// cannot be run or fails.
Result<Cost> cost_of_program(const std::vector<std::string>& command);

// Runs all of `work` in turn, `rounds` times: the median costs, in order of `work`.
Result<std::vector<Cost>> median_costs(const std::vector<Work>& work, unsigned rounds);

}  // namespace kutrace::bench
