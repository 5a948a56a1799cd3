// SPDX-License-Identifier: BSD-3-Clause
// Unpacking piece by piece.
#include "read/perf_data/packed_records.h"

#include <fmt/format.h>
#include <zstd.h>

#include <array>

namespace kutrace::read {

namespace {

constexpr std::size_t kStep = std::size_t{1} << 16;

Error cannot_unpack(std::string_view why) {
  return input_error(fmt::format("holds packed records that cannot be unpacked: {}", why))
      .with_hint("if perf script can read it, this is a defect of kutrace");
}

}  // namespace

void PackedRecords::Free::operator()(ZSTD_DCtx_s* stream) const { ZSTD_freeDCtx(stream); }

PackedRecords::PackedRecords(std::uint64_t most) : stream_(ZSTD_createDCtx()), left_(most) {}

Status PackedRecords::add(std::span<const std::byte> piece) {
  if (stream_ == nullptr) return fail(cannot_unpack("there is no memory for zstd"));
  std::array<std::byte, kStep> room;
  ZSTD_inBuffer in{piece.data(), piece.size(), 0};
  while (true) {
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream_.get(), &out, &in);
    if (ZSTD_isError(status) != 0) return fail(cannot_unpack(ZSTD_getErrorName(status)));
    if (out.pos > left_) return fail(cannot_unpack("they are too many"));
    left_ -= out.pos;
    bytes_.insert(bytes_.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(out.pos));
    if (in.pos == in.size && out.pos < out.size) return {};
  }
}

}  // namespace kutrace::read
