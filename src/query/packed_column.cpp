// SPDX-License-Identifier: BSD-3-Clause
// Packing, and the way back.
#include "query/packed_column.h"

#include <algorithm>
#include <cstring>

namespace kutrace::query {

namespace {

unsigned width_of(std::uint64_t range) {
  if (range == 0) return 0;
  if (range <= 0xff) return 1;
  if (range <= 0xffff) return 2;
  return range <= 0xffff'ffff ? 4 : 8;
}

// Sums of what lies at most 2^64 apart turn over and back again.
std::int64_t sum(std::int64_t least, std::uint64_t distance) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + distance);
}

template <typename Stored>
void store(std::span<const std::int64_t> values, PackedColumn::Block& block) {
  block.distances.resize(values.size() * sizeof(Stored));
  std::byte* at = block.distances.data();
  for (const std::int64_t value : values) {
    const auto distance = static_cast<Stored>(static_cast<std::uint64_t>(value) -
                                              static_cast<std::uint64_t>(block.least));
    std::memcpy(at, &distance, sizeof distance);
    at += sizeof distance;
  }
}

template <typename Stored>
std::uint64_t load(const PackedColumn::Block& block, std::size_t row) {
  Stored distance;
  std::memcpy(&distance, block.distances.data() + row * sizeof distance, sizeof distance);
  return distance;
}

template <typename Stored>
void load_all(const PackedColumn::Block& block, std::int64_t* out) {
  for (std::size_t row = 0; row < block.rows; ++row) {
    out[row] = sum(block.least, load<Stored>(block, row));
  }
}

}  // namespace

void PackedColumn::restart(bool kept) {
  kept_ = kept;
  blocks_.clear();
  staged_.clear();
}

void PackedColumn::foresee(std::size_t rows, std::int64_t least, std::int64_t greatest) {
  if (kept_) blocks_.push_back({least, greatest, rows, 0, {}});
}

void PackedColumn::fill(std::size_t number, std::span<const std::int64_t> values) {
  Block& block = blocks_[number];
  std::int64_t least = values.front();
  std::int64_t greatest = least;
  for (const std::int64_t value : values) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  block.least = least;
  block.greatest = greatest;
  block.rows = values.size();
  block.width = width_of(static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least));
  if (block.width == 1) store<std::uint8_t>(values, block);
  if (block.width == 2) store<std::uint16_t>(values, block);
  if (block.width == 4) store<std::uint32_t>(values, block);
  if (block.width == 8) store<std::uint64_t>(values, block);
}

void PackedColumn::pack() {
  if (staged_.empty()) return;
  blocks_.emplace_back();
  fill(blocks_.size() - 1, staged_);
  staged_.clear();
}

void PackedColumn::finish() {
  pack();
  staged_.shrink_to_fit();
}

std::int64_t PackedColumn::at(std::size_t row) const {
  const Block& block = blocks_[row / kBlockRows];
  const std::size_t inside = row % kBlockRows;
  switch (block.width) {
    case 1:
      return sum(block.least, load<std::uint8_t>(block, inside));
    case 2:
      return sum(block.least, load<std::uint16_t>(block, inside));
    case 4:
      return sum(block.least, load<std::uint32_t>(block, inside));
    case 8:
      return sum(block.least, load<std::uint64_t>(block, inside));
    default:
      return block.least;
  }
}

void PackedColumn::decode(std::size_t number, std::span<std::int64_t> out) const {
  const Block& block = blocks_[number];
  switch (block.width) {
    case 1:
      return load_all<std::uint8_t>(block, out.data());
    case 2:
      return load_all<std::uint16_t>(block, out.data());
    case 4:
      return load_all<std::uint32_t>(block, out.data());
    case 8:
      return load_all<std::uint64_t>(block, out.data());
    default:
      std::ranges::fill_n(out.begin(), static_cast<std::ptrdiff_t>(block.rows), block.least);
  }
}

std::size_t PackedColumn::bytes() const {
  std::size_t sum = blocks_.capacity() * sizeof(Block) + staged_.capacity() * sizeof(std::int64_t);
  for (const Block& block : blocks_) sum += block.distances.capacity();
  return sum;
}

}  // namespace kutrace::query
