// SPDX-License-Identifier: BSD-3-Clause
// Bytes to sums, see doc/page-format.md.
#include "read/page/cpu_sums.h"

#include "read/page/page_numbers.h"

namespace kutrace::read {

bool read_cpu_sums(std::span<const std::uint8_t> bytes, std::size_t kinds,
                   std::vector<SpanSlabs::CpuSums>& sums) {
  constexpr auto kMost = static_cast<std::uint64_t>(kMostTime);
  ColumnReader column(bytes);
  bool good = true;
  for (std::uint64_t cpus = take(column, kMostCpus, good); good && cpus != 0; --cpus) {
    const auto cpu = static_cast<CpuId>(take(column, kMostCpus - 1, good));
    if (!sums.empty() && cpu <= sums.back().cpu) return false;
    std::uint64_t kind = 0;
    for (std::uint64_t left = take(column, kinds, good), first = left; good && left != 0; --left) {
      const std::uint64_t step = take(column, kinds, good);
      if (step == 0 && left != first) return false;
      kind += step;
      if (kind >= kinds) return false;
      SpanSlabs::CpuSums& of = sums.emplace_back();
      of.cpu = cpu;
      of.kind = static_cast<std::uint32_t>(kind);
      of.sums.spans = take(column, kMost, good);
      of.sums.shortest = static_cast<Ns>(take(column, kMost, good));
      of.sums.longest = of.sums.shortest + static_cast<Ns>(take(column, kMost, good));
      of.sums.total = static_cast<Ns>(take(column, kMost, good));
      if (of.sums.spans == 0) return false;
    }
  }
  return good && column.done();
}

}  // namespace kutrace::read
