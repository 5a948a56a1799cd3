// SPDX-License-Identifier: BSD-3-Clause
// Full slabs to compressed blocks, in the order they came, on two threads: one makes columns of
// them, one compresses these. In: slabs; out: each one's directory row and its bytes as text. Few
// wait at a time, and what is done may go to a file, so that memory stays flat.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/worker.h"
#include "emit/page/deflate.h"
#include "emit/page/far_tiers.h"
#include "emit/page/kept_blocks.h"
#include "emit/page/run_sums.h"
#include "emit/page/slab.h"

namespace kutrace::emit {

struct PackedSlabs {
  explicit PackedSlabs(Spill* spill) : blocks(spill) {}

  std::vector<SlabRow> rows;
  KeptBlocks blocks;  // compressed; for a page as text of 7 bits a character
  KindTotals totals;
  RunSums runs;
};

void set_sizes(SlabRow& row, const Deflated& block);

class SlabPacker {
 public:
  // The overviews get what CPUs and threads did, the tiers what lies over that; they are the
  // thread's own until finish().
  SlabPacker(bool for_page, Spill* spill, CpuOverview& cpus, Overview& threads, FarTiers& far)
      : for_page_(for_page), cpus_(cpus), threads_(threads), far_(far), packed_(spill) {}

  // Waits while a slab is not yet begun. An empty one comes back, most often one that has been
  // packed, with its room.
  Slab add(Slab slab) { return encoding_.add(std::move(slab)); }
  // All that was added; an error if one of them could not be compressed or kept.
  Result<PackedSlabs> finish();

 private:
  static constexpr std::size_t kMostWaiting = 1;

  // A slab as columns.
  struct Encoded {
    SlabRow row;
    Column bytes;
    std::vector<std::size_t> cuts;

    void clear() {
      row = SlabRow();
      bytes.clear();
      cuts.clear();
    }
  };

  void encode(Slab& slab);
  void compress(Encoded& encoded);
  Status pack(Encoded& encoded);

  const bool for_page_;
  // Of the first thread until it has ended.
  CpuOverview& cpus_;
  Overview& threads_;
  FarTiers& far_;
  KindTotals totals_;
  RunSums runs_;
  SlabColumns columns_;
  Encoded encoded_;  // empty
  // Of the second.
  QuickDeflater deflater_;
  PackedSlabs packed_;
  std::optional<Error> error_;
  Worker<Encoded> compressing_{[this](Encoded& encoded) { compress(encoded); }, kMostWaiting};
  Worker<Slab> encoding_{[this](Slab& slab) { encode(slab); }, kMostWaiting};
};

}  // namespace kutrace::emit
