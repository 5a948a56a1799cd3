// SPDX-License-Identifier: BSD-3-Clause
// Locks of a figure, see figure_locks.h.
#include "emit/figure/figure_locks.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace kutrace::emit {
namespace {

constexpr Pid kMany = -3;  // several threads within one column

// However many stretches come, no more stay than there are columns, about.
void put(std::vector<FigureLocks::Stretch>& stretches, const FigureLocks::Stretch& stretch) {
  if (!stretches.empty() && stretches.back().to == stretch.from) {
    FigureLocks::Stretch& last = stretches.back();
    if (last.pid == stretch.pid) {
      last.to = stretch.to;
      return;
    }
    if (last.from == stretch.to) {
      last.pid = kMany;
      return;
    }
  }
  stretches.push_back(stretch);
}

}  // namespace

bool FigureLocks::clip(Reach reach, Stretch& stretch) const {
  if (reach.to < 0 || reach.from >= width_) return false;
  stretch.from = static_cast<int>(std::max(0.0, std::floor(reach.from)));
  stretch.to = static_cast<int>(std::min(width_ - 1.0, std::floor(reach.to)));
  return true;
}

void FigureLocks::held(std::uint32_t lock, Pid pid, Reach reach) {
  Stretch stretch{.pid = pid};
  if (clip(reach, stretch)) put(locks_[lock].held, stretch);
}

void FigureLocks::wanted(std::uint32_t lock, Pid pid, Reach reach) {
  Stretch stretch{.pid = pid};
  if (clip(reach, stretch)) put(locks_[lock].wanted, stretch);
}

std::vector<FigureLocks::Stretch> FigureLocks::contended() const {
  std::vector<Stretch> out;
  for (const auto& [number, lock] : locks_) {
    std::copy_if(lock.wanted.begin(), lock.wanted.end(), std::back_inserter(out),
                 [&held = lock.held](const Stretch& wish) {
                   return std::any_of(held.begin(), held.end(), [&wish](const Stretch& hold) {
                     return hold.pid != wish.pid && hold.from <= wish.to && hold.to >= wish.from;
                   });
                 });
  }
  return out;
}

}  // namespace kutrace::emit
