// SPDX-License-Identifier: BSD-3-Clause
// Cells to bytes.
#include "emit/page/cpu_sums.h"

#include <algorithm>
#include <utility>

namespace kutrace::emit {

void CpuSums::make_room(CpuId cpu, std::size_t kinds) {
  if (cpu >= cpus_.size()) cpus_.resize(cpu + std::size_t{1});
  if (kinds > cpus_[cpu].size()) {
    cells_ += kinds - cpus_[cpu].size();
    cpus_[cpu].resize(kinds);
  }
  if (too_many() || cells_ <= kMostCells) return;
  std::vector<KindTotal> sums;
  for (const std::vector<KindTotal>& row : cpus_) {
    sums.resize(std::max(sums.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) sums[i].add(row[i]);
  }
  cpus_.assign(cpu + std::size_t{1}, {});  // who asked for room has this CPU's once more
  cpus_[0] = std::move(sums);
  if (cpu != 0) cpus_[cpu].resize(kinds);
  told_apart_ = 0;
}

KindTotal CpuSums::of(KindIndex kind) const {
  KindTotal sum;
  for (const std::vector<KindTotal>& kinds : cpus_) {
    if (kind < kinds.size()) sum.add(kinds[kind]);
  }
  return sum;
}

Column CpuSums::encode() const {
  Column out;
  const auto has_any = [](const std::vector<KindTotal>& kinds) { return !kinds.empty(); };
  out.put(static_cast<std::uint64_t>(std::ranges::count_if(cpus_, has_any)));
  for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) {
    const std::vector<KindTotal>& kinds = cpus_[cpu];
    if (kinds.empty()) continue;
    out.put(cpu);
    out.put(static_cast<std::uint64_t>(
        std::ranges::count_if(kinds, [](const KindTotal& total) { return total.count != 0; })));
    std::size_t before = 0;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const KindTotal& total = kinds[kind];
      if (total.count == 0) continue;
      out.put(kind - std::exchange(before, kind));
      out.put(total.count);
      out.put(static_cast<std::uint64_t>(total.shortest));
      out.put(static_cast<std::uint64_t>(total.longest - total.shortest));
      out.put(static_cast<std::uint64_t>(total.total));
    }
  }
  return out;
}

}  // namespace kutrace::emit
