// SPDX-License-Identifier: BSD-3-Clause
// What stands in the kernel's bytes of an event that was made by hand. In: those bytes; out: which
// event it is, its numbers and its texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "support/foreign_traces.h"

namespace kutrace::test {

template <typename Number>
Number number_at(std::string_view bytes, std::size_t offset) {
  Number value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

inline ForeignId id_of(const ForeignEvent& event) {
  return static_cast<ForeignId>(number_at<std::uint16_t>(event.bytes, 0));
}

// At size 0 it says there where the text stands.
inline std::string_view text_at(std::string_view bytes, std::size_t offset, std::size_t size) {
  if (size == 0) {
    const auto place = number_at<std::uint32_t>(bytes, offset);
    offset = place & 0xffff;
    size = place >> 16;
  }
  const std::string_view text = bytes.substr(offset, size);
  return text.substr(0, text.find('\0'));
}

}  // namespace kutrace::test
