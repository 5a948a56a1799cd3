// SPDX-License-Identifier: BSD-3-Clause
// Quick compression through ISA-L, see deflate.h.
#include <isa-l/igzip_lib.h>

#include <array>

#include "emit/page/deflate.h"

namespace kutrace::emit {
namespace {

// Smaller tables make shorter blocks, each with codes of its own: columns become 3 % smaller than
// with the largest tables.
constexpr std::uint32_t kQuickLevel = 1;
constexpr std::uint32_t kTableBytes = ISAL_DEF_LVL1_SMALL;

}  // namespace

struct QuickDeflater::Stream {
  isal_zstream state;
  std::array<std::uint8_t, kTableBytes> tables;
};

QuickDeflater::QuickDeflater() : stream_(std::make_unique_for_overwrite<Stream>()) {}
QuickDeflater::~QuickDeflater() = default;

std::size_t QuickDeflater::add(std::span<const std::uint8_t> raw, std::size_t used, bool last) {
  isal_zstream& stream = stream_->state;
  isal_deflate_stateless_init(&stream);
  stream.level = kQuickLevel;
  stream.level_buf = stream_->tables.data();
  stream.level_buf_size = kTableBytes;
  stream.end_of_stream = last ? 1 : 0;
  stream.flush = last ? NO_FLUSH : FULL_FLUSH;
  stream.next_in = const_cast<std::uint8_t*>(raw.data());  // it only reads there
  stream.avail_in = static_cast<std::uint32_t>(raw.size());
  stream.next_out = room_.bytes.get() + used;
  stream.avail_out = static_cast<std::uint32_t>(room_.size - used);
  const bool done = isal_deflate_stateless(&stream) == COMP_OK && stream.avail_in == 0;
  return done ? stream.total_out : 0;
}

}  // namespace kutrace::emit
