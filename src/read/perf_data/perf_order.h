// SPDX-License-Identifier: BSD-3-Clause
// Records of perf.data in the order of their times. perf writes what its buffers hold in rounds:
// what comes after a round's end is not older than what came before the round. In: what records
// say, and ends of rounds; out: the same, sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "read/import/kernel_event.h"

namespace kutrace::read {

struct PerfItem {
  enum class Kind : std::uint8_t { kEvent, kLoss, kBelongs };

  KernelEvent event;  // of a loss time and CPU; of a thread its number, its process, its parent
  Kind kind = Kind::kEvent;
  bool of_perf = false;  // perf's own record of what a tracepoint tells, too
  std::uint64_t lost = 0;
};

class PerfOrder {
 public:
  using Take = std::function<Status(const PerfItem&)>;
  explicit PerfOrder(Take take) : take_(std::move(take)) {}

  Status push(const PerfItem& item);
  Status end_of_round();
  Status finish();

 private:
  Status flush(Ns until);

  Take take_;
  std::vector<PerfItem> waiting_;
  Ns newest_ = 0;        // so far
  Ns round_before_ = 0;  // newest when the last round ended
};

}  // namespace kutrace::read
