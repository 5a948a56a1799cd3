// SPDX-License-Identifier: BSD-3-Clause
// Fields to values.
#include "read/ctf/ctf_values.h"

#include <algorithm>

#include "read/ctf/bit_reader.h"

namespace kutrace::read {

namespace {

// Fields without a bit cost time, too. No packet has many more of them than of bits.
constexpr std::uint64_t kFreeSteps = 4096;
constexpr std::uint64_t kStepsPerBit = 2;
constexpr unsigned kLongestLongInteger = 10;  // bytes
constexpr unsigned kLongIntegerBits = 7;      // of each

bool is_number_role(CtfRole role) {
  return role >= CtfRole::kFirstNumber && role < CtfRole::kFirstText;
}
bool is_text_role(CtfRole role) { return role >= CtfRole::kFirstText && role < CtfRole::kCount; }

// Of several numbers that stand side by side each means the next.
CtfRole role_of_element(CtfRole role, std::uint64_t i) {
  const std::uint64_t next = static_cast<std::uint64_t>(role) + i;
  const bool has = is_number_role(role) && i < KernelEvent::kNumbers &&
                   next < static_cast<std::uint64_t>(CtfRole::kFirstText);
  return has ? static_cast<CtfRole>(next) : CtfRole::kNone;
}

}  // namespace

bool CtfReader::align(std::uint64_t bits) {
  const std::uint64_t aligned = (at_ + bits - 1) & ~(bits - 1);
  if (aligned > end_) return false;
  at_ = aligned;
  return true;
}

bool CtfReader::take(std::uint64_t bits) {
  if (bits > end_ - at_) return false;
  at_ += bits;
  return true;
}

void CtfReader::keep(const CtfField& field, CtfRole role, std::uint64_t value, CtfValues& values) {
  if (role != CtfRole::kNone) values.put(role, value);
  if (role == CtfRole::kTime || role == CtfRole::kBegin)
    values.time_bits = field.kind == CtfField::Kind::kInteger ? field.bits : kMostBits;
  if (field.slot < 0) return;
  const auto slot = static_cast<std::size_t>(field.slot);
  if (slot >= values.slots.size()) values.slots.resize(slot + 1);
  values.slots[slot] = value;
}

bool CtfReader::read(const CtfField& field, CtfValues& values) {
  if (++steps_ > kFreeSteps + kStepsPerBit * at_ || !align(field.align)) return false;
  switch (field.kind) {
    case CtfField::Kind::kStruct:
      return std::ranges::all_of(field.children,
                                 [&](const CtfField& child) { return read(child, values); });
    case CtfField::Kind::kInteger:
      return integer(field, field.role, values);
    case CtfField::Kind::kLongInteger:
      return long_integer(field, values);
    case CtfField::Kind::kBits:
      return take(field.bits);
    case CtfField::Kind::kText:
      return text(field, values);
    case CtfField::Kind::kArray:
      return array(field, field.count, values);
    case CtfField::Kind::kSequence: {
      const auto slot = static_cast<std::size_t>(field.told_by);
      return array(field, slot < values.slots.size() ? values.slots[slot] : 0, values);
    }
    case CtfField::Kind::kVariant:
      return variant(field, values);
  }
  return false;
}

bool CtfReader::integer(const CtfField& field, CtfRole role, CtfValues& values) {
  const std::uint64_t at = at_;
  if (!take(field.bits)) return false;
  if (role == CtfRole::kNone && field.slot < 0) return true;
  std::uint64_t value = bits_at(bytes_, at, field.bits, field.order == ByteOrder::kBig);
  if (field.is_signed) value = static_cast<std::uint64_t>(sign_extended(value, field.bits));
  keep(field, role, value, values);
  return true;
}

bool CtfReader::long_integer(const CtfField& field, CtfValues& values) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < kLongestLongInteger; ++i) {
    const std::uint64_t at = at_;
    if (!take(kByteBits)) return false;
    const std::uint64_t byte = bits_at(bytes_, at, kByteBits, false);
    const unsigned shift = i * kLongIntegerBits;
    value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) != 0) continue;
    const unsigned bits = std::min(shift + kLongIntegerBits, kMostBits);
    if (field.is_signed) value = static_cast<std::uint64_t>(sign_extended(value, bits));
    keep(field, field.role, value, values);
    return true;
  }
  return false;
}

bool CtfReader::text(const CtfField& field, CtfValues& values) {
  const auto rest = bytes_.first(end_ / kByteBits).subspan(at_ / kByteBits);
  const auto nul = std::ranges::find(rest, std::byte{0});
  if (nul == rest.end()) return false;
  const auto length = static_cast<std::size_t>(nul - rest.begin());
  at_ += (length + 1) * kByteBits;
  if (!is_text_role(field.role)) return true;
  const std::size_t i =
      static_cast<std::size_t>(field.role) - static_cast<std::size_t>(CtfRole::kFirstText);
  values.texts[i] = {reinterpret_cast<const char*>(rest.data()), length};
  values.known[static_cast<std::size_t>(field.role)] = true;
  return true;
}

bool CtfReader::array(const CtfField& field, std::uint64_t count, CtfValues& values) {
  const CtfField& element = field.children.front();
  const bool is_plain =
      element.kind == CtfField::Kind::kInteger || element.kind == CtfField::Kind::kBits;
  if (!is_plain) {
    for (; count > 0; --count)
      if (!read(element, values)) return false;
    return true;
  }
  if (count == 0) return true;
  const std::uint64_t begin = at_;
  const std::uint64_t stride =
      (element.bits + element.align - 1) & ~std::uint64_t{element.align - 1};
  if (count > (end_ - at_) / element.bits) return false;
  if ((count - 1) > (end_ - at_) / stride || !take((count - 1) * stride + element.bits))
    return false;
  const std::uint64_t behind = at_;
  for (std::uint64_t i = 0; i < count; ++i) {
    const CtfRole role = role_of_element(field.role, i);
    if (role == CtfRole::kNone) break;
    at_ = begin + i * stride;
    integer(element, role, values);
  }
  at_ = behind;
  if (!is_text_role(field.role) || begin % kByteBits != 0 || stride != kByteBits) return true;
  const std::size_t i =
      static_cast<std::size_t>(field.role) - static_cast<std::size_t>(CtfRole::kFirstText);
  values.texts[i] = {reinterpret_cast<const char*>(bytes_.data()) + begin / kByteBits, count};
  values.known[static_cast<std::size_t>(field.role)] = true;
  return true;
}

bool CtfReader::variant(const CtfField& field, CtfValues& values) {
  const auto slot = static_cast<std::size_t>(field.told_by);
  const auto told = static_cast<std::int64_t>(slot < values.slots.size() ? values.slots[slot] : 0);
  for (std::size_t i = 0; i < field.children.size(); ++i) {
    const bool is_it = std::ranges::any_of(field.ranges[i], [&](const CtfRange& range) {
      return told >= range.first && told <= range.last;
    });
    if (is_it) return read(field.children[i], values);
  }
  // What is optional is not there then.
  return field.children.size() == 1;
}

}  // namespace kutrace::read
