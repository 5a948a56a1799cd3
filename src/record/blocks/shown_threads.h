// SPDX-License-Identifier: BSD-3-Clause
// Threads that a filter lets pass. In: blocks; out: those that ran, and that no filter hid.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "record/blocks/finished_block.h"

namespace kutrace::record {

class ShownThreads {
 public:
  void add(const FinishedBlock& block);
  const std::unordered_set<std::uint32_t>& all() const { return threads_; }

 private:
  std::unordered_set<std::uint32_t> threads_;
};

}  // namespace kutrace::record
