// SPDX-License-Identifier: BSD-3-Clause
// A column of whole numbers in memory. In: numbers, one after the other; out: each of them by its
// row, or a block of them at a time. Every block of 16,384 rows keeps its least and its greatest
// number, and of each row the distance from the least in 0, 1, 2, 4 or 8 bytes. So a column that
// says the same everywhere takes nothing, and blocks that cannot fit a question are passed over.
//
// A column that is not kept takes no numbers. A block may be foreseen: bounds of it are known, and
// its numbers come when they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kutrace::query {

class PackedColumn {
 public:
  static constexpr std::size_t kBlockRows = 16384;

  struct Block {
    std::int64_t least = 0;
    std::int64_t greatest = 0;
    std::size_t rows = 0;
    unsigned width = 0;  // bytes of a row
    std::vector<std::byte> distances;
  };

  // Forgets all numbers. Whether those to come are kept.
  void restart(bool kept);
  bool kept() const { return kept_; }
  void append(std::int64_t value) {
    if (!kept_) return;
    if (staged_.size() == kBlockRows) pack();
    staged_.push_back(value);
  }
  // After the last one; before it nothing can be asked.
  void finish();
  // One more block, of numbers between the two, and its numbers.
  void foresee(std::size_t rows, std::int64_t least, std::int64_t greatest);
  void fill(std::size_t number, std::span<const std::int64_t> values);

  std::size_t blocks() const { return blocks_.size(); }
  const Block& block(std::size_t number) const { return blocks_[number]; }
  std::int64_t at(std::size_t row) const;
  // All rows of a block; `out` has room for kBlockRows.
  void decode(std::size_t number, std::span<std::int64_t> out) const;
  std::size_t bytes() const;

 private:
  void pack();

  bool kept_ = true;
  std::vector<Block> blocks_;
  std::vector<std::int64_t> staged_;
};

}  // namespace kutrace::query
