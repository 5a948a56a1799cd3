// SPDX-License-Identifier: BSD-3-Clause
// Through zlib, step by step.
#include "read/perfetto/packed_packets.h"

#include <zlib.h>

#include <array>
#include <limits>
#include <utility>

namespace kutrace::read {

namespace {

constexpr std::size_t kStep = std::size_t{1} << 16;

class Inflate {
 public:
  explicit Inflate(std::span<const std::byte> piece) {
    // zlib's interface is not const-correct; it does not write here.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    ready_ = inflateInit(&stream_) == Z_OK;
  }
  ~Inflate() { inflateEnd(&stream_); }
  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;

  bool ready() const { return ready_; }
  // What comes next; `status` is zlib's.
  std::span<const std::byte> step(int& status) {
    stream_.next_out = reinterpret_cast<Bytef*>(room_.data());
    stream_.avail_out = static_cast<uInt>(room_.size());
    status = inflate(&stream_, Z_NO_FLUSH);
    return std::span(room_).first(room_.size() - stream_.avail_out);
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
  std::array<std::byte, kStep> room_;
};

}  // namespace

std::optional<std::span<const std::byte>> PackedPackets::unpack(std::span<const std::byte> piece) {
  if (piece.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  Inflate inflate(piece);
  if (!inflate.ready()) return std::nullopt;
  std::vector<std::byte> unpacked;
  int status = Z_OK;
  while (status == Z_OK) {
    const auto bytes = inflate.step(status);
    too_much_ = bytes.size() > left_;
    if (too_much_) return std::nullopt;
    left_ -= bytes.size();
    unpacked.insert(unpacked.end(), bytes.begin(), bytes.end());
  }
  if (status != Z_STREAM_END) return std::nullopt;
  return pieces_.emplace_back(std::move(unpacked));
}

}  // namespace kutrace::read
