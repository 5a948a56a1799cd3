// SPDX-License-Identifier: BSD-3-Clause
// What each CPU did of each kind, summed up, for readers that ask for sums and need no span. In:
// executions; out: a block's bytes, and sums by kind. Where CPUs times kinds are many there is no
// block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
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
  void add(const KindTotal& other) {
    count += other.count;
    total += other.total;
    shortest = std::min(shortest, other.shortest);
    longest = std::max(longest, other.longest);
  }
};

class CpuSums {
 public:
  // Of the kinds below `kinds`; until it is called anew.
  std::span<KindTotal> of_cpu(CpuId cpu, std::size_t kinds) {
    cpu &= told_apart_;
    if (cpu >= cpus_.size() || kinds > cpus_[cpu].size()) make_room(cpu, kinds);
    return cpus_[cpu];
  }
  bool too_many() const { return told_apart_ == 0; }
  // Of all CPUs.
  KindTotal of(KindIndex kind) const;
  // See doc/page-format.md, Sums.
  Column encode() const;

 private:
  static constexpr std::size_t kMostCells = std::size_t{1} << 16;

  void make_room(CpuId cpu, std::size_t kinds);

  std::vector<std::vector<KindTotal>> cpus_;
  std::size_t cells_ = 0;
  CpuId told_apart_ = ~CpuId{0};  // 0: there are too many, and one row stands for all CPUs
};

}  // namespace kutrace::emit
