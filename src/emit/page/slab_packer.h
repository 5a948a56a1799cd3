// SPDX-License-Identifier: BSD-3-Clause
// Full slabs to compressed blocks, in the order they came, on a thread of its own. In: slabs; out:
// each one's directory row and its bytes as text. Few slabs wait at a time, so that memory stays
// flat.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
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
  // `overview` gets what CPUs did; it is the thread's own until finish().
  SlabPacker(bool for_page, CpuOverview& overview) : for_page_(for_page), overview_(overview) {}
  ~SlabPacker();
  SlabPacker(const SlabPacker&) = delete;
  SlabPacker& operator=(const SlabPacker&) = delete;

  // Waits while kMostWaiting slabs are not yet begun. An empty one comes back, most often one that
  // has been packed, with its room.
  Slab add(Slab slab);
  // All that was added; an error if one of them could not be compressed.
  Result<PackedSlabs> finish();

 private:
  static constexpr std::size_t kMostWaiting = 1;

  void run();
  void pack(Slab& slab);
  void end();

  const bool for_page_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Slab> waiting_;
  std::vector<Slab> empty_;
  bool ended_ = false;
  // Of the thread until it has ended.
  CpuOverview& overview_;
  QuickDeflater deflater_;
  SlabColumns columns_;
  PackedSlabs packed_;
  std::optional<Error> error_;
  std::exception_ptr thrown_;
  std::thread thread_;
};

}  // namespace kutrace::emit
