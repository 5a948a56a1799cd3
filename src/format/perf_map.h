// SPDX-License-Identifier: BSD-3-Clause
// Names of code that a program made at run time, as it writes them to /tmp/perf-PID.map for perf.
// In: lines "START SIZE NAME", numbers hexadecimal; out: the name at an address. Where lines
// overlap, the later one holds. Lines of another form are ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/range_map.h"

namespace kutrace {

struct MadeFunction {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::string name;
};

class PerfMap {
 public:
  explicit PerfMap(std::string_view text);

  bool empty() const { return functions_.ranges().empty(); }
  std::optional<MadeFunction> find(std::uint64_t pc) const;

 private:
  RangeMap<std::string> functions_;
};

// Whether code in memory of this name, as /proc/PID/maps has it, may be made at run time.
bool may_be_made_code(std::string_view path);

}  // namespace kutrace
