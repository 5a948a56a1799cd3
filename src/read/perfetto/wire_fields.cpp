// SPDX-License-Identifier: BSD-3-Clause
// Tags, varints and lengths.
#include "read/perfetto/wire_fields.h"

#include "read/import/byte_cursor.h"

namespace kutrace::read {

namespace {

enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr unsigned kMostVarintBytes = 10;

// Takes it from the front; false: it does not end.
bool take_varint(std::span<const std::byte>& rest, std::uint64_t& value) {
  value = 0;
  for (unsigned i = 0; i < kMostVarintBytes && i < rest.size(); ++i) {
    const auto byte = std::to_integer<std::uint64_t>(rest[i]);
    value |= (byte & 0x7f) << 7 * i;
    if (byte < 0x80) {
      rest = rest.subspan(i + 1);
      return true;
    }
  }
  return false;
}

}  // namespace

bool WireFields::next() {
  if (damaged_ || rest_.empty()) return false;
  unread_ = rest_;
  damaged_ = !read();
  return !damaged_;
}

bool WireFields::read() {
  std::uint64_t tag = 0;
  if (!take_varint(rest_, tag) || tag >> 32 != 0) return false;
  field_ = {};
  field_.number = static_cast<std::uint32_t>(tag >> 3);
  const auto type = static_cast<unsigned>(tag & 7);
  if (type == kVarint) return field_.number != 0 && take_varint(rest_, field_.value);
  std::uint64_t size = type == kFixed64 ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
  if (type == kBytes) {
    if (!take_varint(rest_, size)) return false;
  } else if (type != kFixed64 && type != kFixed32) {
    return false;
  }
  if (field_.number == 0 || size > rest_.size()) return false;
  const auto bytes = rest_.first(size);
  rest_ = rest_.subspan(size);
  field_.is_bytes = type == kBytes;
  if (field_.is_bytes) {
    field_.bytes = bytes;
  } else {
    ByteCursor at(bytes);
    field_.value = type == kFixed64 ? at.u64() : at.u32();
  }
  return true;
}

bool PackedNumbers::next() { return take_varint(rest_, value_); }

}  // namespace kutrace::read
