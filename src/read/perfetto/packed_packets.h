// SPDX-License-Identifier: BSD-3-Clause
// Packets that Perfetto's service packed (zlib). In: one piece; out: the packets, as a trace of
// their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace kutrace::read {

class PackedPackets {
 public:
  // All pieces together must not hold more than `most` bytes.
  explicit PackedPackets(std::uint64_t most) : left_(most) {}

  // Valid as long as this is. Nothing: it is damaged, or holds too much.
  std::optional<std::span<const std::byte>> unpack(std::span<const std::byte> piece);
  bool too_much() const { return too_much_; }

 private:
  std::deque<std::vector<std::byte>> pieces_;
  std::uint64_t left_;
  bool too_much_ = false;
};

}  // namespace kutrace::read
