// SPDX-License-Identifier: BSD-3-Clause
// Little-endian bytes of a foreign file, read one by one. In: bytes; out: numbers and texts, zeros
// and empty ones behind their end, which `failed` remembers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace kutrace::read {

class ByteCursor {
 public:
  explicit ByteCursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }

  // Goes to a place counted from the begin.
  void seek(std::uint64_t place) {
    failed_ = failed_ || place > bytes_.size();
    if (!failed_) at_ = place;
  }
  std::span<const std::byte> take(std::uint64_t count) {
    failed_ = failed_ || count > left();
    if (failed_) return {};
    const auto taken = bytes_.subspan(at_, count);
    at_ += count;
    return taken;
  }
  template <typename Number>
  Number number() {
    Number value = 0;
    if (const auto bytes = take(sizeof value); !bytes.empty())
      std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint16_t u16() { return number<std::uint16_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  std::string_view text(std::uint64_t count) {
    const auto bytes = take(count);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // Up to the next NUL, which is taken, too.
  std::string_view text_to_nul() {
    const auto rest = bytes_.subspan(at_);
    const auto nul = std::ranges::find(rest, std::byte{0});
    failed_ = failed_ || nul == rest.end();
    if (failed_) return {};
    const auto length = static_cast<std::size_t>(nul - rest.begin());
    const std::string_view found = text(length);
    ++at_;
    return found;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace kutrace::read
