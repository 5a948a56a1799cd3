// SPDX-License-Identifier: BSD-3-Clause
// What the thread does with a slab.
#include "emit/page/slab_packer.h"

#include <utility>

#include "base/b128.h"

namespace kutrace::emit {

void set_sizes(SlabRow& row, const Deflated& block) {
  row.packed_size = static_cast<std::uint32_t>(block.bytes.size());
  row.raw_size = block.raw_size;
  row.crc = block.crc;
}

void SlabPacker::pack(Slab& slab) {
  SlabRow row = slab.row();
  const SlabSums sums{packed_.totals, cpus_, threads_};
  Result<Deflated> block = deflater_.deflate(slab.encode(columns_, sums).bytes());
  if (!block) {
    if (!error_) error_ = block.error();
    return;
  }
  set_sizes(row, *block);
  packed_.rows.push_back(std::move(row));
  std::string text;
  if (for_page_) {
    append_b128(block->bytes, text);
    text.shrink_to_fit();
  } else {
    text.assign(block->bytes.begin(), block->bytes.end());
  }
  packed_.blocks.push_back(std::move(text));
}

Result<PackedSlabs> SlabPacker::finish() {
  worker_.finish();
  columns_ = SlabColumns();  // its room is wanted for what comes next
  if (error_) return fail(*error_);
  return std::move(packed_);
}

}  // namespace kutrace::emit
