// SPDX-License-Identifier: BSD-3-Clause
// The fields of a packet or an event, one behind the other. In: bytes, and a field as the metadata
// describe it; out: the values of those that mean something, and of those that tell lengths and
// choices.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "read/ctf/ctf_schema.h"

namespace kutrace::read {

constexpr std::size_t kCtfRoles = static_cast<std::size_t>(CtfRole::kCount);

struct CtfValues {
  std::array<std::uint64_t, kCtfRoles> numbers{};  // signed ones as two's complement
  std::array<std::string_view, 2> texts{};
  std::bitset<kCtfRoles> known;
  unsigned time_bits = 0;            // of the last time
  std::vector<std::uint64_t> slots;  // lengths and choices; what is not there is 0

  bool has(CtfRole role) const { return known[static_cast<std::size_t>(role)]; }
  std::uint64_t of(CtfRole role) const { return numbers[static_cast<std::size_t>(role)]; }
  void put(CtfRole role, std::uint64_t value) {
    numbers[static_cast<std::size_t>(role)] = value;
    known[static_cast<std::size_t>(role)] = true;
  }
};

class CtfReader {
 public:
  // Of one packet; nothing behind `end` is read.
  CtfReader() = default;
  CtfReader(std::span<const std::byte> packet, std::uint64_t end_bits)
      : bytes_(packet), end_(end_bits) {}

  std::uint64_t at() const { return at_; }
  std::uint64_t end() const { return end_; }
  void end_at(std::uint64_t bits) { end_ = bits; }

  // False: it does not fit, or is more than its packet can hold.
  bool read(const CtfField& field, CtfValues& values);

 private:
  bool align(std::uint64_t bits);
  bool take(std::uint64_t bits);
  bool integer(const CtfField& field, CtfRole role, CtfValues& values);
  bool long_integer(const CtfField& field, CtfValues& values);
  bool text(const CtfField& field, CtfValues& values);
  bool array(const CtfField& field, std::uint64_t count, CtfValues& values);
  bool variant(const CtfField& field, CtfValues& values);
  static void keep(const CtfField& field, CtfRole role, std::uint64_t value, CtfValues& values);

  std::span<const std::byte> bytes_;
  std::uint64_t at_ = 0;     // in bits
  std::uint64_t end_ = 0;    // likewise
  std::uint64_t steps_ = 0;  // fields
};

}  // namespace kutrace::read
