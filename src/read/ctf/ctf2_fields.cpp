// SPDX-License-Identifier: BSD-3-Clause
// JSON to fields.
#include "read/ctf/ctf2_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "read/ctf/bit_reader.h"

namespace kutrace::read {

namespace {

using enum CtfField::Kind;

constexpr std::int64_t kMostPassedBits = 1 << 16;
constexpr std::size_t kMostRanges = 1U << 12;

constexpr std::pair<std::string_view, CtfScope> kOrigins[] = {
    {"packet-header", CtfScope::kPacketHeader},
    {"packet-context", CtfScope::kPacketContext},
    {"event-record-header", CtfScope::kEventHeader},
    {"event-record-common-context", CtfScope::kStreamContext},
    {"event-record-specific-context", CtfScope::kEventContext},
    {"event-record-payload", CtfScope::kFields},
};

constexpr std::pair<std::string_view, CtfRole> kRoles[] = {
    {"packet-magic-number", CtfRole::kMagic},
    {"data-stream-class-id", CtfRole::kStreamClass},
    {"packet-total-length", CtfRole::kPacketBits},
    {"packet-content-length", CtfRole::kContentBits},
    {"default-clock-timestamp", CtfRole::kTime},
    {"packet-end-default-clock-timestamp", CtfRole::kEnd},
    {"discarded-event-record-counter-snapshot", CtfRole::kDiscarded},
    {"packet-sequence-number", CtfRole::kSequence},
    {"event-record-class-id", CtfRole::kEventClass},
};

CtfField byte_of_text() {
  CtfField byte;
  byte.kind = kInteger;
  byte.bits = kByteBits;
  byte.align = kByteBits;
  return byte;
}

}  // namespace

void Ctf2Fields::fail(std::string error) {
  if (!failed()) error_ = std::move(error);
}

void Ctf2Fields::name(const std::string& name, const JsonValue& value) {
  if (name.empty()) return fail("an alias needs a name");
  names_.insert_or_assign(name, field(value));
}

CtfField Ctf2Fields::part(const JsonValue& value) {
  if (!value || failed()) return {};
  CtfField found = field(value);
  if (found.kind != kStruct) fail("a structure is expected");
  return found;
}

CtfField Ctf2Fields::field(const JsonValue& value) {
  if (failed()) return {};
  if (value.is_text()) {
    const auto found = names_.find(value.text());
    if (found != names_.end()) return parts_.copy(found->second);
    fail(fmt::format("'{}' is not declared", value.text().substr(0, kLongestWord)));
    return {};
  }
  if (!value.is_object()) {
    fail("a field class is expected");
    return {};
  }
  if (++depth_ > CtfParts::kDeepest) fail("field classes are nested too deeply");
  CtfField found = failed() ? CtfField() : of_type(value["type"].text(), value);
  --depth_;
  value["roles"].each([&](std::string_view, const JsonValue& role) {
    const auto* const known =
        std::ranges::find(kRoles, role.text(), &std::pair<std::string_view, CtfRole>::first);
    if (known != std::end(kRoles)) found.role = known->second;
  });
  if (parts_.exceeded()) fail("it describes more fields, or longer names, than any trace has");
  return failed() ? CtfField() : std::move(found);
}

CtfField Ctf2Fields::of_type(std::string_view type, const JsonValue& value) {
  if (type.starts_with("fixed-length-")) return bits(type, value);
  if (type == "structure") return structure(value);
  if (type == "variant" || type == "optional") return choice(value);
  if (type.ends_with("-length-array"))
    return array(type, value, field(value["element-field-class"]));
  CtfField found;
  if (type.starts_with("variable-length-")) {
    found.kind = kLongInteger;
    found.align = kByteBits;
    found.is_signed = type.contains("-signed-");
  } else if (type == "null-terminated-string") {
    found.kind = kText;
    found.align = kByteBits;
  } else if (type.ends_with("-length-string") || type.ends_with("-length-blob")) {
    found = byte_of_text();
    found.is_character = type.ends_with("string");
    found = array(type, value, std::move(found));
  } else {
    fail(fmt::format("the field class '{}' is not known", type.substr(0, kLongestWord)));
  }
  return found;
}

std::uint64_t Ctf2Fields::length(const JsonValue& value) {
  const std::int64_t number = value["length"].number().value_or(-1);
  if (number < 0) fail("a length is expected");
  return static_cast<std::uint64_t>(number);
}

std::uint32_t Ctf2Fields::alignment(const JsonValue& value) {
  const std::int64_t align = value ? value.number().value_or(0) : 1;
  if (align <= 0 || !is_alignment(static_cast<std::uint64_t>(align))) {
    fail("an alignment that is none");
    return 1;
  }
  return static_cast<std::uint32_t>(align);
}

CtfField Ctf2Fields::bits(std::string_view type, const JsonValue& value) {
  CtfField found;
  const std::uint64_t bits = length(value);
  const bool is_passed = type.ends_with("floating-point-number") || bits > kMostBits;
  found.kind = is_passed ? kBits : kInteger;
  found.is_signed = type.contains("-signed-");
  found.order = value["byte-order"].text() == "big-endian" ? ByteOrder::kBig : ByteOrder::kLittle;
  found.align = alignment(value["alignment"]);
  const bool is_number = type.ends_with("-integer") && bits > kMostBits;
  if (bits == 0 || bits > kMostPassedBits || is_number)
    fail(fmt::format("a number of {} bits", bits));
  found.bits = static_cast<std::uint32_t>(bits);
  return found;
}

CtfField Ctf2Fields::structure(const JsonValue& value) {
  CtfField found;
  found.align = alignment(value["minimum-alignment"]);
  value["member-classes"].each([&](std::string_view, const JsonValue& member) {
    if (failed()) return;
    CtfField child = field(member["field-class"]);
    parts_.name(child, member["name"].text());
    parts_.add(found, std::move(child));
  });
  return found;
}

CtfField Ctf2Fields::array(std::string_view type, const JsonValue& value, CtfField element) {
  CtfField found;
  if (type.starts_with("static-")) {
    found = parts_.array(std::move(element), length(value));
  } else if (type.starts_with("dynamic-")) {
    found = parts_.sequence(std::move(element), path(value["length-field-location"]));
  } else {
    fail(fmt::format("the field class '{}' is not known", type.substr(0, kLongestWord)));
  }
  found.align = std::max(found.align, alignment(value["minimum-alignment"]));
  return found;
}

// What is optional is a choice of one thing, or nothing. A boolean tells of it without ranges.
CtfField Ctf2Fields::choice(const JsonValue& value) {
  constexpr CtfRange kTrue[] = {{1, std::numeric_limits<std::int64_t>::max()},
                                {std::numeric_limits<std::int64_t>::min(), -1}};
  CtfField found;
  found.kind = kVariant;
  found.path = std::make_shared<const CtfPath>(path(value["selector-field-location"]));
  const auto option = [&](const JsonValue& one) {
    if (failed()) return;
    CtfField child = field(one["field-class"]);
    parts_.name(child, one["name"].text());
    const JsonValue told = one["selector-field-ranges"];
    parts_.add_option(
        found, std::move(child),
        told ? ranges(told) : std::vector<CtfRange>(std::begin(kTrue), std::end(kTrue)));
  };
  if (value["options"]) {
    value["options"].each([&](std::string_view, const JsonValue& one) { option(one); });
  } else {
    option(value);
  }
  return found;
}

CtfPath Ctf2Fields::path(const JsonValue& location) {
  CtfPath path;
  const std::string origin = location["origin"].text();
  for (const auto& [name, scope] : kOrigins)
    if (name == origin) path.scope = scope;
  location["path"].each(
      [&](std::string_view, const JsonValue& name) { path.names.push_back(name.text()); });
  if (path.names.size() > CtfParts::kDeepest) path.names.clear();
  if (path.names.empty() || (!origin.empty() && path.scope == CtfScope::kNowhere))
    fail("a location is expected");
  return path;
}

std::vector<CtfRange> Ctf2Fields::ranges(const JsonValue& value) {
  std::vector<CtfRange> found;
  value.each([&](std::string_view, const JsonValue& range) {
    std::vector<std::int64_t> ends;
    range.each([&](std::string_view, const JsonValue& end) {
      if (ends.size() < 2) ends.push_back(end.number().value_or(0));
    });
    if (ends.size() == 2) found.push_back({ends[0], ends[1]});
    if (found.size() > kMostRanges) fail("too many ranges");
  });
  return found;
}

}  // namespace kutrace::read
