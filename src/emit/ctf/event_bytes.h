// SPDX-License-Identifier: BSD-3-Clause
// The bytes of an event of CTF, as the metadata declares them: numbers of whole bytes, the lowest
// first. In: its number, time, thread and fields, in their order; out: bytes.
//
//   0  u32  number of the event
//   4  u64  time: nanoseconds of the trace's clock
//  12  i32  thread
//  16       fields
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace kutrace::emit {

static_assert(std::endian::native == std::endian::little);

template <typename Number>
void append_number(std::string& bytes, Number value) {
  const auto raw = std::bit_cast<std::array<char, sizeof(Number)>>(value);
  bytes.append(raw.data(), raw.size());
}

template <typename Number>
std::string number_bytes(Number value) {
  std::string bytes;
  append_number(bytes, value);
  return bytes;
}

class EventBytes {
 public:
  static constexpr std::uint32_t kNumberAt = 0;
  static constexpr std::uint32_t kTimeAt = 4;
  static constexpr std::uint32_t kFieldsAt = 16;

  EventBytes& begin(std::uint32_t number, std::uint64_t time, Pid thread) {
    used_ = 0;
    return add(number).add(time).add(thread);
  }
  template <typename Number>
  EventBytes& add(Number value) {
    std::memcpy(room(sizeof value), &value, sizeof value);
    return *this;
  }
  // An array of so many characters; zeros fill it up.
  EventBytes& add_array(std::string_view text, std::size_t size) {
    const std::string_view part = text.substr(0, size);
    char* const at = room(size);
    std::memset(at + part.size(), 0, size - part.size());
    if (!part.empty()) std::memcpy(at, part.data(), part.size());
    return *this;
  }
  EventBytes& add_string(std::string_view text) { return add_array(text, text.size() + 1); }
  // Valid until the next event begins.
  std::string_view bytes() const { return {bytes_.data(), used_}; }

 private:
  // Where so many bytes are written next.
  char* room(std::size_t size) {
    if (bytes_.size() - used_ < size) bytes_.resize(2 * bytes_.size() + size);
    used_ += size;
    return bytes_.data() + used_ - size;
  }

  std::vector<char> bytes_;  // the first `used_` of them are written
  std::size_t used_ = 0;
};

}  // namespace kutrace::emit
