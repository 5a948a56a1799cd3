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
// Random times gain 2 % of the thorough way, recordings 6 %; it takes 2.5 times as long.
constexpr std::size_t kWorthwhile = 25;  // one part in so many

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
  if (since_++ % kTryEvery != 0) return (pays_ ? thorough_ : quick_).deflate(raw);
  KUTRACE_ASSIGN(Deflated small, thorough_.deflate(raw));
  KUTRACE_ASSIGN(Deflated large, quick_.deflate(raw));
  pays_ = large.bytes.size() - std::min(small.bytes.size(), large.bytes.size()) >
          large.bytes.size() / kWorthwhile;
  return pays_ ? std::move(small) : std::move(large);
}

}  // namespace kutrace::emit
