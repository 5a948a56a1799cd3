// SPDX-License-Identifier: BSD-3-Clause
// Writes structures in Thrift's compact protocol, as Parquet's headers and footer have them. In:
// numbers of fields, ascending, and their values; out: one string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emit/stream/binary.h"

namespace kutrace::emit {

class Thrift {
 public:
  enum class Type : std::uint8_t {
    kTrue = 1,
    kFalse = 2,
    kI32 = 5,
    kI64 = 6,
    kBinary = 8,
    kList = 9,
    kStruct = 12
  };

  void field(int number, Type type);
  void boolean(int number, bool value) { field(number, value ? Type::kTrue : Type::kFalse); }
  void i32(int number, std::int32_t value);
  void i64(int number, std::int64_t value);
  void text(int number, std::string_view value);
  // The elements follow, by `element...` or between `begin_element` and `end`.
  void list(int number, Type elements, std::size_t count);
  void element_i32(std::int32_t value) { zigzag(value); }
  void element_text(std::string_view value);
  void begin_element() { last_.push_back(0); }
  void begin(int number);
  // Elements of a list that were written before.
  void raw(std::string_view elements) { bytes_ += elements; }
  // Of a structure; the outermost one's, too.
  void end();

  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) { append_varint(bytes_, value); }
  void zigzag(std::int64_t value) {
    varint(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }

  std::string bytes_;
  std::vector<int> last_{0};  // of each open structure: the field before
};

}  // namespace kutrace::emit
