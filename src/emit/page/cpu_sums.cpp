// SPDX-License-Identifier: BSD-3-Clause
// Cells to bytes.
#include "emit/page/cpu_sums.h"

#include <algorithm>
#include <utility>

namespace kutrace::emit {

bool CpuSums::make_room(CpuId cpu, KindIndex kind) {
  if (too_many_) return false;
  if (cpu >= cpus_.size()) cpus_.resize(cpu + std::size_t{1});
  std::vector<KindTotal>& kinds = cpus_[cpu];
  if (kind >= kinds.size()) {
    cells_ += kind + std::size_t{1} - kinds.size();
    kinds.resize(kind + std::size_t{1});
  }
  too_many_ = cells_ > kMostCells;
  if (too_many_) cpus_.clear();
  return !too_many_;
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
