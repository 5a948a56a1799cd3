// SPDX-License-Identifier: BSD-3-Clause
// Two libraries for it, see deflate.h.
#include "emit/page/deflate.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include <array>
#include <utility>

#include "base/inflate.h"

namespace kutrace::emit {
namespace {

// Of libdeflate. On a recording of a compilation 0.8 % larger than level 6, and the page takes 8 %
// less time.
constexpr int kThoroughLevel = 5;
// Of ISA-L. Smaller tables make shorter blocks, each with codes of its own: columns become 3 %
// smaller than with the largest tables.
constexpr std::uint32_t kQuickLevel = 1;
constexpr std::uint32_t kTableBytes = ISAL_DEF_LVL1_SMALL;

// What does not become smaller is stored: 5 bytes for each 65,535, and some for the last ones.
constexpr std::size_t quick_bound(std::size_t raw) { return raw + raw / 1024 + 1024; }

// What is said of a block beside its bytes.
Deflated deflated(std::span<const std::uint8_t> raw, std::span<const std::uint8_t> bytes) {
  return {{bytes.begin(), bytes.end()}, static_cast<std::uint32_t>(raw.size()), checksum(raw), {}};
}

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

Result<Deflated> QuickDeflater::deflate(std::span<const std::uint8_t> raw) {
  return deflate(raw, {});
}

Result<Deflated> QuickDeflater::deflate(std::span<const std::uint8_t> raw,
                                        std::span<const std::size_t> cuts) {
  const std::size_t most = quick_bound(raw.size()) + cuts.size() * quick_bound(0);
  room_.reach(most);
  std::vector<DeflatedSize> pieces;
  std::size_t used = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const bool last = i == cuts.size();
    const std::span<const std::uint8_t> piece =
        raw.subspan(from, (last ? raw.size() : cuts[i]) - from);
    const std::size_t size = add(piece, used, last);
    if (size == 0) return fail(internal_error("the compressor refused a block"));
    if (!cuts.empty()) {
      pieces.push_back({static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(piece.size()),
                        checksum(piece)});
    }
    used += size;
    from += piece.size();
  }
  Deflated block = deflated(raw, room_.first(used));
  block.pieces = std::move(pieces);
  return block;
}

void Deflater::Free::operator()(libdeflate_compressor* compressor) const {
  libdeflate_free_compressor(compressor);
}

Deflater::Deflater() : compressor_(libdeflate_alloc_compressor(kThoroughLevel)) {}

Result<Deflated> Deflater::deflate(std::span<const std::uint8_t> raw) {
  if (!compressor_) return fail(internal_error("no memory for the compressor"));
  const std::size_t bound = libdeflate_deflate_compress_bound(compressor_.get(), raw.size());
  room_.reach(bound);
  const std::size_t size = libdeflate_deflate_compress(compressor_.get(), raw.data(), raw.size(),
                                                       room_.bytes.get(), room_.size);
  if (size == 0) return fail(internal_error("the compressor refused a block"));
  return deflated(raw, room_.first(size));
}

}  // namespace kutrace::emit
