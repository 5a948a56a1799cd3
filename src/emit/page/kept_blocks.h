// SPDX-License-Identifier: BSD-3-Clause
// Blocks of a page that wait until it is written, because what comes before them in the file is
// known last. In: blocks; out: the same in their order. The first ones stay in memory, the others
// go to a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/spill.h"

namespace kutrace::emit {

class KeptBlocks {
 public:
  // Of bytes in memory: a page of a small trace needs no file.
  static constexpr std::size_t kMostInMemory = std::size_t{4} << 20;

  // `spill`: null where all of them stay in memory.
  explicit KeptBlocks(Spill* spill, std::size_t most_in_memory = kMostInMemory)
      : spill_(spill), most_in_memory_(most_in_memory) {}

  Status add(std::string block);
  // Calls it with the number of each block, from 0 on, and its bytes.
  Status each(const std::function<void(std::size_t number, std::string_view block)>& take) const;

 private:
  Spill* spill_;
  std::size_t most_in_memory_;
  std::vector<std::string> first_;
  std::size_t first_size_ = 0;
  std::vector<std::size_t> spilled_;  // sizes of the others
};

}  // namespace kutrace::emit
