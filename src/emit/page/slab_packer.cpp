// SPDX-License-Identifier: BSD-3-Clause
// What the threads do with a slab.
#include "emit/page/slab_packer.h"

#include <span>
#include <utility>

#include "base/b128.h"

namespace kutrace::emit {
namespace {

// Bytes of a slab that is worth to be read in part.
constexpr std::size_t kFewestToCut = std::size_t{1} << 16;

}  // namespace

void set_sizes(SlabRow& row, const Deflated& block) {
  row.packed_size = static_cast<std::uint32_t>(block.bytes.size());
  row.raw_size = block.raw_size;
  row.crc = block.crc;
}

void SlabPacker::encode(Slab& slab) {
  far_.add(slab.overlays());
  slab.drop_elsewhere();
  encoded_.row = slab.row();
  const std::size_t bytes = slab.encode(columns_, {totals_, cpus_, threads_}).bytes().size();
  slab.add_to(runs_, bytes);
  std::swap(encoded_.bytes, columns_.all);
  std::swap(encoded_.cuts, columns_.cuts);
  encoded_ = compressing_.add(std::move(encoded_));
}

void SlabPacker::compress(Encoded& encoded) {
  if (error_) return;
  if (const Status status = pack(encoded); !status) error_ = status.error();
}

Status SlabPacker::pack(Encoded& encoded) {
  const std::span<const std::uint8_t> bytes = encoded.bytes.bytes();
  if (bytes.size() < kFewestToCut) encoded.cuts.clear();
  Result<Deflated> block = deflater_.deflate(bytes, encoded.cuts);
  if (!block) return fail(block.error());
  set_sizes(encoded.row, *block);
  encoded.row.parts = std::move(block->pieces);
  packed_.rows.push_back(std::move(encoded.row));
  std::string text;
  if (for_page_) {
    append_b128(block->bytes, text);
    text.shrink_to_fit();
  } else {
    text.assign(block->bytes.begin(), block->bytes.end());
  }
  return packed_.blocks.add(std::move(text));
}

Result<PackedSlabs> SlabPacker::finish() {
  encoding_.finish();
  compressing_.finish();
  columns_ = SlabColumns();  // its room is wanted for what comes next
  encoded_ = Encoded();
  if (error_) return fail(*error_);
  packed_.totals = std::move(totals_);
  packed_.runs = std::move(runs_);
  return std::move(packed_);
}

}  // namespace kutrace::emit
