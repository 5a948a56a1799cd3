// SPDX-License-Identifier: BSD-3-Clause
// Writes protocol buffers as bytes, in order, without a description of messages. In: numbers of
// fields and their values; out: their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kutrace::emit {

class Protobuf {
 public:
  // A message that is being written; the last one begun is the first to end.
  struct Message {
    std::size_t at = 0;  // where its length stands
  };

  // Of the types int32 to uint64, bool and enum.
  void number(unsigned field, std::uint64_t value) {
    char* const begin = room(2 * kLongest);
    char* const at = put_varint(put_varint(begin, std::uint64_t{field} << 3), value);
    used_ += static_cast<std::size_t>(at - begin);
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

  // Valid until more is written.
  std::string_view bytes() const { return {bytes_.data(), used_}; }
  void clear() { used_ = 0; }

 private:
  // Bytes that a length takes; the first one tells which.
  static constexpr std::size_t kShort = 2;
  static constexpr std::size_t kLong = 4;

  static constexpr std::size_t kLongest = 10;  // of a number, in bytes

  static char* put_varint(char* at, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
    *at++ = static_cast<char>(value);
    return at;
  }
  // Where so many bytes can be written behind the others.
  char* room(std::size_t size) {
    if (bytes_.size() - used_ < size) bytes_.resize(2 * bytes_.size() + size);
    return bytes_.data() + used_;
  }
  void varint(std::uint64_t value) {
    char* const begin = room(kLongest);
    used_ += static_cast<std::size_t>(put_varint(begin, value) - begin);
  }
  Message begin(unsigned field, std::size_t length_bytes) {
    varint(std::uint64_t{field} << 3 | 2);
    const Message message{used_};
    *room(length_bytes) = static_cast<char>(length_bytes);
    used_ += length_bytes;
    return message;
  }

  std::vector<char> bytes_;  // the first `used_` of them are written
  std::size_t used_ = 0;
};

}  // namespace kutrace::emit
