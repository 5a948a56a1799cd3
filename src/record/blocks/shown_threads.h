// SPDX-License-Identifier: BSD-3-Clause
// Threads that a filter lets pass. In: blocks; out: those that ran, and that no filter hid.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "record/blocks/finished_block.h"

namespace kutrace::record {

class ShownThreads {
 public:
  // Those that no block before had.
  std::vector<std::uint32_t> add(const FinishedBlock& block);

 private:
  std::unordered_set<std::uint32_t> threads_;
};

}  // namespace kutrace::record
