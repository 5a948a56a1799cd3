// SPDX-License-Identifier: BSD-3-Clause
// Raw deflate through libdeflate, see deflate.h.
#include "emit/page/deflate.h"

#include <libdeflate.h>

#include <algorithm>
#include <utility>

#include "base/inflate.h"

namespace kutrace::emit {
namespace {

constexpr unsigned kTryEvery = 16;
// Random times gain 3 % of the thorough way, recordings 7 %; it takes twice as long.
constexpr std::size_t kWorthwhile = 17;  // one part in so many
// So many pieces stand for a large block: a compressor looks back over 32 KB.
constexpr std::size_t kPieces = 4;
constexpr std::size_t kPiece = 49152;

}  // namespace

void Deflater::Free::operator()(libdeflate_compressor* compressor) const {
  libdeflate_free_compressor(compressor);
}

Deflater::Deflater(int level) : compressor_(libdeflate_alloc_compressor(level)) {}

Result<Deflated> Deflater::deflate(std::span<const std::uint8_t> raw) {
  if (!compressor_) return fail(internal_error("no memory for the compressor"));
  Deflated out;
  out.raw_size = static_cast<std::uint32_t>(raw.size());
  out.crc = checksum(raw);
  const std::size_t bound = libdeflate_deflate_compress_bound(compressor_.get(), raw.size());
  if (room_.size() < bound) room_.resize(bound);
  const std::size_t size = libdeflate_deflate_compress(compressor_.get(), raw.data(), raw.size(),
                                                       room_.data(), room_.size());
  if (size == 0) return fail(internal_error("the compressor refused a block"));
  out.bytes.assign(room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(size));
  return out;
}

Result<Deflated> ThriftyDeflater::deflate(std::span<const std::uint8_t> raw) {
  if (since_++ % kTryEvery == 0) {
    KUTRACE_ASSIGN(pays_, pays(raw));
  }
  return (pays_ ? thorough_ : quick_).deflate(raw);
}

Result<bool> ThriftyDeflater::pays(std::span<const std::uint8_t> raw) {
  if (raw.size() > 2 * kPieces * kPiece) {
    sample_.clear();
    for (std::size_t i = 0; i < kPieces; ++i) {
      const auto piece = raw.subspan((2 * i + 1) * raw.size() / (2 * kPieces) - kPiece / 2, kPiece);
      sample_.insert(sample_.end(), piece.begin(), piece.end());
    }
    raw = sample_;
  }
  KUTRACE_ASSIGN(const Deflated small, thorough_.deflate(raw));
  KUTRACE_ASSIGN(const Deflated large, quick_.deflate(raw));
  return large.bytes.size() - std::min(small.bytes.size(), large.bytes.size()) >
         large.bytes.size() / kWorthwhile;
}

}  // namespace kutrace::emit
