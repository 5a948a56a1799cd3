// SPDX-License-Identifier: BSD-3-Clause
// Quick compression where ISA-L was missing when this was built: through zlib, which takes eight
// times as long; see deflate.h.
#include <zlib.h>

#include "emit/page/deflate.h"

namespace kutrace::emit {
namespace {

constexpr int kQuickLevel = 1;
constexpr int kNoHeader = -15;  // the largest window, raw deflate
constexpr int kMemoryLevel = 8;

}  // namespace

struct QuickDeflater::Stream {
  z_stream state{};
  bool begun = false;

  ~Stream() {
    if (begun) deflateEnd(&state);
  }
};

QuickDeflater::QuickDeflater() : stream_(std::make_unique<Stream>()) {
  stream_->begun = deflateInit2(&stream_->state, kQuickLevel, Z_DEFLATED, kNoHeader, kMemoryLevel,
                                Z_DEFAULT_STRATEGY) == Z_OK;
}
QuickDeflater::~QuickDeflater() = default;

std::size_t QuickDeflater::add(std::span<const std::uint8_t> raw, std::size_t used, bool last) {
  z_stream& stream = stream_->state;
  if (!stream_->begun || deflateReset(&stream) != Z_OK) return 0;
  stream.next_in = const_cast<std::uint8_t*>(raw.data());  // it only reads there
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = room_.bytes.get() + used;
  stream.avail_out = static_cast<uInt>(room_.size - used);
  const int status = ::deflate(&stream, last ? Z_FINISH : Z_FULL_FLUSH);
  const bool done =
      status == (last ? Z_STREAM_END : Z_OK) && stream.avail_in == 0 && stream.avail_out > 0;
  return done ? stream.total_out : 0;
}

}  // namespace kutrace::emit
