// SPDX-License-Identifier: BSD-3-Clause
// A message of protocol buffers, field by field. In: its bytes; out: number and value of each
// field. What cannot be read ends it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/units.h"
#include "read/import/thread_number.h"

namespace kutrace::read {

struct WireField {
  std::uint32_t number = 0;
  bool is_bytes = false;             // a message, a text or packed numbers
  std::uint64_t value = 0;           // where it is a number
  std::span<const std::byte> bytes;  // where it is not

  std::int64_t signed_value() const { return static_cast<std::int64_t>(value); }
  Pid thread_value() const { return thread_number(value); }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

class WireFields {
 public:
  explicit WireFields(std::span<const std::byte> bytes) : rest_(bytes) {}

  // False: there is none left, or it is damaged.
  bool next();
  const WireField& operator*() const { return field_; }
  const WireField* operator->() const { return &field_; }
  bool damaged() const { return damaged_; }
  // From the field on that is damaged.
  std::span<const std::byte> unread() const { return unread_; }

 private:
  bool read();

  std::span<const std::byte> rest_;
  std::span<const std::byte> unread_;
  WireField field_;
  bool damaged_ = false;
};

// Numbers that one field holds, one behind the other.
class PackedNumbers {
 public:
  PackedNumbers() = default;
  explicit PackedNumbers(std::span<const std::byte> bytes) : rest_(bytes) {}

  bool next();
  // False, too, if the last one does not end.
  bool ended() const { return rest_.empty(); }
  std::uint64_t operator*() const { return value_; }

 private:
  std::span<const std::byte> rest_;
  std::uint64_t value_ = 0;
};

}  // namespace kutrace::read
