// SPDX-License-Identifier: BSD-3-Clause
// Full slabs to compressed blocks, in the order they came, on a thread of its own. In: slabs; out:
// each one's directory row and its bytes as text. Few slabs wait at a time, so that memory stays
// flat.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/worker.h"
#include "emit/page/deflate.h"
#include "emit/page/slab.h"

namespace kutrace::emit {

struct PackedSlabs {
  std::vector<SlabRow> rows;
  std::vector<std::string> blocks;  // compressed; for a page as text of 7 bits a character
  KindTotals totals;
};

void set_sizes(SlabRow& row, const Deflated& block);

class SlabPacker {
 public:
  // The overviews get what CPUs and threads did; they are the thread's own until finish().
  SlabPacker(bool for_page, CpuOverview& cpus, Overview& threads)
      : for_page_(for_page), cpus_(cpus), threads_(threads) {}

  // Waits while a slab is not yet begun. An empty one comes back, most often one that has been
  // packed, with its room.
  Slab add(Slab slab) { return worker_.add(std::move(slab)); }
  // All that was added; an error if one of them could not be compressed.
  Result<PackedSlabs> finish();

 private:
  static constexpr std::size_t kMostWaiting = 1;

  void pack(Slab& slab);

  const bool for_page_;
  // Of the thread until it has ended.
  CpuOverview& cpus_;
  Overview& threads_;
  QuickDeflater deflater_;
  SlabColumns columns_;
  PackedSlabs packed_;
  std::optional<Error> error_;
  Worker<Slab> worker_{[this](Slab& slab) { pack(slab); }, kMostWaiting};
};

}  // namespace kutrace::emit
