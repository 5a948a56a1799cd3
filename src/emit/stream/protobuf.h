// SPDX-License-Identifier: BSD-3-Clause
// Writes protocol buffers as bytes, in order, without a description of messages. In: numbers of
// fields and their values; out: one string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "emit/stream/binary.h"

namespace kutrace::emit {

class Protobuf {
 public:
  // A message that is being written; the last one begun is the first to end.
  struct Message {
    std::size_t at = 0;  // where its length stands
  };

  // Of the types int32 to uint64, bool and enum.
  void number(unsigned field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3);
    varint(value);
  }
  void signed_number(unsigned field, std::int64_t value) {
    number(field, static_cast<std::uint64_t>(value));
  }
  void fixed64(unsigned field, std::uint64_t value);
  // Of the types string and bytes.
  void text(unsigned field, std::string_view value);
  // Fewer than 16 KB.
  Message begin(unsigned field) { return begin(field, kShort); }
  // Fewer than 256 MB.
  Message begin_long(unsigned field) { return begin(field, kLong); }
  void end(Message message);

  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  // Bytes that a length takes; the first one tells which.
  static constexpr std::size_t kShort = 2;
  static constexpr std::size_t kLong = 4;

  Message begin(unsigned field, std::size_t length_bytes);
  void varint(std::uint64_t value) { append_varint(bytes_, value); }

  std::string bytes_;
};

}  // namespace kutrace::emit
