// SPDX-License-Identifier: BSD-3-Clause
// What each CPU did of each kind, summed up, for readers that ask for sums and need no span. In:
// executions; out: a block's bytes. Where CPUs times kinds are many there is none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/units.h"
#include "emit/page/column.h"
#include "format/page_format.h"

namespace kutrace::emit {

// The spans, or calls, of one kind, summed up.
struct KindTotal {
  std::uint64_t count = 0;
  Ns total = 0;
  Ns shortest = std::numeric_limits<Ns>::max();
  Ns longest = 0;

  void add(Ns duration) {
    ++count;
    total += duration;
    shortest = std::min(shortest, duration);
    longest = std::max(longest, duration);
  }
};

class CpuSums {
 public:
  void add(CpuId cpu, KindIndex kind, Ns duration) {
    if (cpu >= cpus_.size() || kind >= cpus_[cpu].size()) [[unlikely]] {
      if (!make_room(cpu, kind)) return;
    }
    cpus_[cpu][kind].add(duration);
  }
  bool too_many() const { return too_many_; }
  // See doc/page-format.md, Sums.
  Column encode() const;

 private:
  static constexpr std::size_t kMostCells = std::size_t{1} << 16;

  // False: there are too many.
  bool make_room(CpuId cpu, KindIndex kind);

  std::vector<std::vector<KindTotal>> cpus_;
  std::size_t cells_ = 0;
  bool too_many_ = false;
};

}  // namespace kutrace::emit
