// SPDX-License-Identifier: BSD-3-Clause
// Streaming through zlib and libzstd into one growing buffer.
#include "base/compressed.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace kutrace {

namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kFirstRoom = std::size_t{1} << 20;
constexpr std::uint64_t kSmallest = std::uint64_t{256} << 20;
constexpr std::uint64_t kMostTimes = 250;
constexpr std::size_t kMostInput = std::size_t{1} << 30;  // zlib counts in 32 bits

bool starts_with(Bytes bytes, std::initializer_list<unsigned> magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(), [](unsigned want, std::byte have) {
           return std::byte{static_cast<unsigned char>(want)} == have;
         });
}

// The bytes that come out. Grows by doubling, never beyond `limit` + 1.
class Output {
 public:
  explicit Output(std::uint64_t limit) : limit_(limit) {}

  // Room for the next piece, at least one byte.
  std::span<std::byte> room() {
    if (used_ == bytes_.size()) {
      const std::size_t wanted = std::max(kFirstRoom, 2 * used_);
      bytes_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, limit_ + 1)));
    }
    return std::span(bytes_).subspan(used_);
  }
  void fill(std::size_t count) { used_ += count; }
  bool too_much() const { return used_ > limit_; }
  std::vector<std::byte> take() {
    bytes_.resize(used_);
    return std::move(bytes_);
  }

 private:
  std::uint64_t limit_;
  std::size_t used_ = 0;
  std::vector<std::byte> bytes_;
};

// How unpacking ended: empty for a whole file, else what is wrong with it.
using Ending = std::string;

class Inflate {
 public:
  Inflate() { ready_ = inflateInit2(&stream_, MAX_WBITS + 16) == Z_OK; }
  ~Inflate() { inflateEnd(&stream_); }
  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;

  Ending run(Bytes in, Output& out) {
    if (!ready_) return "no memory for zlib";
    for (;;) {
      if (stream_.avail_in == 0) feed(in);
      const auto room = out.room();
      const auto space = static_cast<uInt>(std::min(room.size(), kMostInput));
      stream_.next_out = reinterpret_cast<Bytef*>(room.data());
      stream_.avail_out = space;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      out.fill(space - stream_.avail_out);
      if (out.too_much()) return {};
      if (status == Z_STREAM_END) {
        // Members may follow each other; anything else behind the last is padding.
        const Bytes rest = this->rest(in);
        if (packing_of(rest) != Packing::kGzip) return {};
        inflateReset(&stream_);
      } else if (status == Z_BUF_ERROR) {
        return "the gzip data end early";
      } else if (status != Z_OK) {
        return fmt::format("gzip: {}", stream_.msg == nullptr ? "bad data" : stream_.msg);
      }
    }
  }

 private:
  void feed(Bytes& in) {
    const Bytes piece = in.first(std::min(in.size(), kMostInput));
    in = in.subspan(piece.size());
    // zlib's interface is not const-correct; it does not write here.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
  }
  Bytes rest(Bytes in) const {
    // Pieces are fed from one stretch of memory, so what is left of it is one stretch, too.
    return {reinterpret_cast<const std::byte*>(stream_.next_in), stream_.avail_in + in.size()};
  }

  z_stream stream_{};
  bool ready_ = false;
};

Ending unpack_zstd(Bytes in, Output& out) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          ZSTD_freeDStream);
  if (stream == nullptr) return "no memory for zstd";
  ZSTD_inBuffer input{in.data(), in.size(), 0};
  std::size_t status = 1;
  for (;;) {
    const auto room = out.room();
    ZSTD_outBuffer output{room.data(), room.size(), 0};
    status = ZSTD_decompressStream(stream.get(), &output, &input);
    out.fill(output.pos);
    if (out.too_much()) return {};
    if (ZSTD_isError(status) != 0) return fmt::format("zstd: {}", ZSTD_getErrorName(status));
    if (input.pos == input.size && status == 0) return {};
    if (input.pos == input.size && output.pos < output.size) return "the zstd data end early";
  }
}

}  // namespace

Packing packing_of(std::span<const std::byte> bytes) {
  if (starts_with(bytes, {0x1f, 0x8b, 0x08})) return Packing::kGzip;
  if (starts_with(bytes, {0x28, 0xb5, 0x2f, 0xfd})) return Packing::kZstd;
  return Packing::kNone;
}

std::uint64_t unpacked_limit(std::uint64_t packed_bytes) {
  return std::max(kSmallest, kMostTimes * packed_bytes);
}

Result<Unpacked> unpack(MappedFile file, std::uint64_t limit) {
  const Packing packing = packing_of(file.bytes());
  if (packing == Packing::kNone) return Unpacked{std::move(file), false};
  Output output(limit);
  const Ending ending = packing == Packing::kGzip ? Inflate().run(file.bytes(), output)
                                                  : unpack_zstd(file.bytes(), output);
  if (output.too_much()) {
    return fail(input_error(fmt::format("{} unpack to more than {}", byte_size(file.bytes().size()),
                                        byte_size(limit)))
                    .with_file(file.name())
                    .with_hint("if it really is a trace, unpack it with gzip or zstd first"));
  }
  std::vector<std::byte> bytes = output.take();
  if (bytes.empty() && !ending.empty()) {
    return fail(input_error("cannot be unpacked").with_file(file.name()).because(ending));
  }
  return Unpacked{MappedFile::from_bytes(std::move(bytes), file.name()), !ending.empty()};
}

Result<Unpacked> unpack(MappedFile file) {
  const std::uint64_t limit = unpacked_limit(file.bytes().size());
  return unpack(std::move(file), limit);
}

}  // namespace kutrace
