// SPDX-License-Identifier: BSD-3-Clause
// Who had a lock while somebody else wanted it. In: locks held and wanted, as columns of a figure;
// out: for each thread the columns in which it wanted a lock that another thread held.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/units.h"
#include "emit/figure/figure_row.h"

namespace kutrace::emit {

class FigureLocks {
 public:
  explicit FigureLocks(int width) : width_(width) {}

  void held(std::uint32_t lock, Pid pid, Reach reach);
  void wanted(std::uint32_t lock, Pid pid, Reach reach);

  struct Stretch {  // of columns, both ends inside
    Pid pid = kNoPid;
    int from = 0;
    int to = 0;
  };
  std::vector<Stretch> contended() const;

 private:
  struct Lock {
    std::vector<Stretch> held;
    std::vector<Stretch> wanted;
  };
  bool clip(Reach reach, Stretch& stretch) const;

  int width_;
  std::map<std::uint32_t, Lock> locks_;
};

}  // namespace kutrace::emit
