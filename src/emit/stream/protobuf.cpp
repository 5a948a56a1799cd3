// SPDX-License-Identifier: BSD-3-Clause
// Protocol buffers. A message's length stands before it in a number of bytes that is chosen before
// the length is known; readers take numbers that are longer than need be.
#include "emit/stream/protobuf.h"

#include <cstring>

#include "base/check.h"

namespace kutrace::emit {

void Protobuf::fixed64(unsigned field, std::uint64_t value) {
  varint(std::uint64_t{field} << 3 | 1);
  char* const at = room(sizeof value);
  for (unsigned i = 0; i < sizeof value; ++i) at[i] = static_cast<char>(value >> (8 * i));
  used_ += sizeof value;
}

void Protobuf::text(unsigned field, std::string_view value) {
  varint(std::uint64_t{field} << 3 | 2);
  varint(value.size());
  if (!value.empty()) std::memcpy(room(value.size()), value.data(), value.size());
  used_ += value.size();
}

void Protobuf::end(Message message) {
  const std::size_t length_bytes = static_cast<unsigned char>(bytes_[message.at]);
  std::size_t length = used_ - message.at - length_bytes;
  check(length >> (7 * length_bytes) == 0, "a message is as short as was said when it began");
  for (std::size_t i = 0; i < length_bytes; ++i, length >>= 7) {
    const std::size_t more = i + 1 < length_bytes ? 0x80 : 0;
    bytes_[message.at + i] = static_cast<char>((length & 0x7f) | more);
  }
}

}  // namespace kutrace::emit
