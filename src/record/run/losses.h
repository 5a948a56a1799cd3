// SPDX-License-Identifier: BSD-3-Clause
// Loss that the recorder itself knows of, one record per CPU and reason.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/units.h"
#include "format/name_entries.h"
#include "record/blocks/tally.h"

namespace kutrace::record {

class Losses {
 public:
  void add(CpuId cpu, kutrace_loss_reason reason, Ticks begin, Ticks end, std::uint64_t entries);
  void append_to(NameEntries& names) const;
  void add_to(Tally& tally) const;

 private:
  struct Interval {
    Ticks begin = 0;
    Ticks end = 0;
    std::uint64_t entries = 0;
  };
  std::map<std::pair<CpuId, kutrace_loss_reason>, Interval> intervals_;
};

}  // namespace kutrace::record
