// SPDX-License-Identifier: BSD-3-Clause
// Words to types.
#include "read/ctf/tsdl_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <ranges>
#include <utility>

#include "read/ctf/bit_reader.h"

namespace kutrace::read {

namespace {

using enum CtfField::Kind;

constexpr std::uint64_t kMostLabels = 1U << 12;
constexpr std::uint64_t kMostFloatBits = 128;

constexpr std::pair<std::string_view, CtfScope> kScopes[] = {
    {"trace.packet.header.", CtfScope::kPacketHeader},
    {"stream.packet.context.", CtfScope::kPacketContext},
    {"stream.event.header.", CtfScope::kEventHeader},
    {"stream.event.context.", CtfScope::kStreamContext},
    {"event.context.", CtfScope::kEventContext},
    {"event.fields.", CtfScope::kFields},
};

ByteOrder order_of(std::string_view text) {
  if (text == "le") return ByteOrder::kLittle;
  return text == "be" || text == "network" ? ByteOrder::kBig : ByteOrder::kOfTrace;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t dot = text.find('.');
    parts.emplace_back(text.substr(0, dot));
    if (dot == text.npos) return parts;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

TsdlTypes::TsdlTypes(TsdlWords& words, std::vector<CtfClock>& clocks)
    : words_(words), clocks_(clocks), scopes_(1) {}

void TsdlTypes::fail(std::string error) {
  if (failed()) return;
  error_ = std::move(error);
  line_ = words_.line();
}

bool TsdlTypes::take(std::string_view sign) {
  if (failed() || words_->kind != TsdlWord::Kind::kSign || words_->text != sign) return false;
  words_.next();
  return true;
}

bool TsdlTypes::is_name(std::string_view text) const {
  return !failed() && words_->kind == TsdlWord::Kind::kName && words_->text == text;
}

bool TsdlTypes::take_name(std::string_view text) {
  if (!is_name(text)) return false;
  words_.next();
  return true;
}

std::string_view TsdlTypes::name() {
  if (failed()) return {};
  const std::string_view text = words_->text;
  if (words_->kind != TsdlWord::Kind::kName) {
    fail("a name is expected");
    return {};
  }
  words_.next();
  return text;
}

void TsdlTypes::expect(std::string_view sign) {
  if (!take(sign)) fail(fmt::format("'{}' is expected", sign));
}

std::uint64_t TsdlTypes::number() {
  const bool is_negative = take("-");
  if (!is_negative) take("+");
  if (failed()) return 0;
  if (words_->kind != TsdlWord::Kind::kNumber) {
    fail("a number is expected");
    return 0;
  }
  const std::uint64_t value = words_->number;
  words_.next();
  return is_negative ? ~value + 1 : value;
}

std::string TsdlTypes::dotted() {
  std::string text(name());
  while (take(".")) text.append(1, '.').append(name());
  return text;
}

TsdlAttribute TsdlTypes::attribute() {
  TsdlAttribute attribute;
  attribute.name = dotted();
  if (take(":=")) {
    attribute.type = type();
    return attribute;
  }
  expect("=");
  if (failed()) return attribute;
  if (words_->kind == TsdlWord::Kind::kText) {
    attribute.text = words_->text;
    words_.next();
  } else if (words_->kind == TsdlWord::Kind::kName) {
    attribute.text = dotted();
  } else {
    attribute.number = number();
    attribute.text = std::to_string(attribute.number);
  }
  return attribute;
}

void TsdlTypes::block(const std::function<void(TsdlAttribute&)>& use) {
  expect("{");
  scopes_.emplace_back();
  while (!failed() && !take("}")) {
    if (take(";") || declare()) continue;
    TsdlAttribute found = attribute();
    expect(";");
    if (!failed()) use(found);
  }
  scopes_.pop_back();
}

std::size_t TsdlTypes::clock(std::string_view id) {
  const auto found = std::ranges::find(clocks_, id, &CtfClock::id);
  const auto place = static_cast<std::size_t>(found - clocks_.begin());
  if (found == clocks_.end()) {
    if (clocks_.size() == kMostClocks) {
      fail("more clocks than a machine has");
      return 0;
    }
    clocks_.emplace_back().id = id;
  }
  return place;
}

bool TsdlTypes::declare() {
  if (is_name("typealias")) {
    alias();
  } else if (is_name("typedef")) {
    definition();
  } else if (is_name("struct") || is_name("enum") || is_name("variant")) {
    type();
    expect(";");
  } else {
    return false;
  }
  return true;
}

void TsdlTypes::define(const std::string& name, const CtfField& field) {
  if (!failed()) scopes_.back().insert_or_assign(name, parts_.copy(field));
}

CtfField TsdlTypes::find(const std::string& name) {
  if (failed()) return {};
  for (const Names& names : scopes_ | std::views::reverse)
    if (const auto found = names.find(name); found != names.end())
      return parts_.copy(found->second);
  fail(fmt::format("'{}' is not declared", name.substr(0, kLongestWord)));
  return {};
}

// typealias TYPE := NAME
void TsdlTypes::alias() {
  words_.next();
  const CtfField field = type();
  expect(":=");
  std::string name;
  for (; !failed() && words_->kind == TsdlWord::Kind::kName; words_.next())
    name.append(name.empty() ? "" : " ").append(words_->text);
  if (name.empty()) fail("a name is expected");
  expect(";");
  define(name, field);
}

// typedef TYPE NAME
void TsdlTypes::definition() {
  words_.next();
  std::string declared;
  CtfField field = type(&declared);
  do {
    if (declared.empty()) declared = name();
    define(declared, declarator(parts_.copy(field), declared));
    declared.clear();
  } while (take(","));
  expect(";");
}

CtfField TsdlTypes::type(std::string* declared) {
  if (++depth_ > CtfParts::kDeepest) fail("types are nested too deeply");
  CtfField field = failed() ? CtfField() : type_by_word(declared);
  --depth_;
  if (parts_.exceeded()) fail("it describes more fields, or longer names, than any trace has");
  return failed() ? CtfField() : field;
}

CtfField TsdlTypes::type_by_word(std::string* declared) {
  take_name("const");
  if (take_name("integer")) return integer();
  if (take_name("floating_point")) return floating_point();
  if (take_name("string")) return text();
  if (take_name("enum")) return enumeration();
  if (take_name("struct")) return structure();
  if (take_name("variant")) return variant();
  return named(declared);
}

CtfField TsdlTypes::integer() {
  CtfField field;
  field.kind = kInteger;
  std::uint64_t bits = 0;
  std::uint64_t align = 0;
  block([&](TsdlAttribute& attribute) {
    if (attribute.name == "size") bits = attribute.number;
    if (attribute.name == "align") align = attribute.number;
    if (attribute.name == "signed")
      field.is_signed = attribute.text == "true" || attribute.number == 1;
    if (attribute.name == "byte_order") field.order = order_of(attribute.text);
    if (attribute.name == "encoding")
      field.is_character = attribute.text == "UTF8" || attribute.text == "ASCII";
    if (attribute.name == "map" && attribute.text.starts_with("clock.")) {
      const std::vector<std::string> names = split(attribute.text);
      field.clock = static_cast<std::int32_t>(clock(names[1]));
    }
  });
  if (align == 0) align = bits % kByteBits == 0 ? kByteBits : 1;
  if (bits == 0 || bits > kMostBits) fail(fmt::format("an integer of {} bits", bits));
  if (!is_alignment(align)) fail(fmt::format("an alignment of {} bits", align));
  field.bits = static_cast<std::uint32_t>(bits);
  field.align = static_cast<std::uint32_t>(align);
  field.is_character = field.is_character && bits == kByteBits;
  return field;
}

CtfField TsdlTypes::floating_point() {
  CtfField field;
  field.kind = kBits;
  std::uint64_t bits = 0;
  std::uint64_t align = 1;
  block([&](TsdlAttribute& attribute) {
    if (attribute.name == "exp_dig" || attribute.name == "mant_dig") {
      bits += std::min(attribute.number, kMostFloatBits + 1);
    } else if (attribute.name == "align") {
      align = attribute.number;
    }
  });
  if (bits == 0 || bits > kMostFloatBits) fail(fmt::format("a number of {} bits", bits));
  if (!is_alignment(align)) fail(fmt::format("an alignment of {} bits", align));
  field.bits = static_cast<std::uint32_t>(bits);
  field.align = static_cast<std::uint32_t>(align);
  return field;
}

CtfField TsdlTypes::text() {
  CtfField field;
  field.kind = kText;
  field.align = kByteBits;
  if (words_->kind == TsdlWord::Kind::kSign && words_->text == "{") block([](TsdlAttribute&) {});
  return field;
}

// enum NAME : TYPE { LABELS }
CtfField TsdlTypes::enumeration() {
  std::string named;
  if (words_->kind == TsdlWord::Kind::kName) named.append("enum ").append(name());
  CtfField field;
  const bool has_type = take(":");
  if (has_type) field = type();
  if (!take("{")) return find(named);
  if (!has_type) field = find("int");
  if (field.kind != kInteger) fail("an enumeration is one of integers");
  labels(field);
  if (!named.empty()) define(named, field);
  return field;
}

void TsdlTypes::labels(CtfField& field) {
  CtfLabels labels;
  std::uint64_t next = 0;
  while (!failed() && !take("}")) {
    const std::string label(words_->text);
    if (words_->kind != TsdlWord::Kind::kName && words_->kind != TsdlWord::Kind::kText)
      fail("the name of a number is expected");
    words_.next();
    const std::uint64_t first = take("=") ? number() : next;
    const std::uint64_t last = take("...") ? number() : first;
    next = last + 1;
    labels.emplace(label,
                   CtfRange{static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)});
    if (labels.size() > kMostLabels) fail("an enumeration of too many names");
    if (!take(",") && !(words_->kind == TsdlWord::Kind::kSign && words_->text == "}"))
      fail("',' is expected");
  }
  field.labels = std::make_shared<const CtfLabels>(std::move(labels));
}

// struct NAME { MEMBERS } align(BITS)
CtfField TsdlTypes::structure() {
  std::string named;
  if (words_->kind == TsdlWord::Kind::kName) named.append("struct ").append(name());
  if (!take("{")) return find(named);
  CtfField field;
  members(field);
  if (take_name("align")) {
    expect("(");
    const std::uint64_t align = number();
    expect(")");
    if (!is_alignment(align)) fail(fmt::format("an alignment of {} bits", align));
    field.align = std::max(field.align, static_cast<std::uint32_t>(align));
  }
  if (!named.empty()) define(named, field);
  return field;
}

// variant NAME <PATH> { OPTIONS }
CtfField TsdlTypes::variant() {
  std::string named;
  if (words_->kind == TsdlWord::Kind::kName) named.append("variant ").append(name());
  std::string told_by;
  const auto tell = [&] {
    if (!take("<")) return;
    told_by = dotted();
    expect(">");
  };
  tell();
  CtfField field;
  if (take("{")) {
    field.kind = kVariant;
    members(field);
    if (!named.empty()) define(named, field);
  } else {
    field = find(named);
  }
  if (told_by.empty()) tell();
  if (!told_by.empty()) field.path = std::make_shared<const CtfPath>(path(told_by));
  return field;
}

// The name of a type is of several words: unsigned long.
CtfField TsdlTypes::named(std::string* declared) {
  std::vector<std::string> names;
  while (!failed() && words_->kind == TsdlWord::Kind::kName) names.emplace_back(name());
  if (declared != nullptr && names.size() > 1) {
    *declared = std::move(names.back());
    names.pop_back();
  }
  std::string text;
  for (const std::string& one : names) text.append(text.empty() ? "" : " ").append(one);
  if (text.empty()) fail("a type is expected");
  return find(text);
}

CtfPath TsdlTypes::path(const std::string& dotted) const {
  for (const auto& [begin, scope] : kScopes)
    if (dotted.starts_with(begin)) return {scope, split(dotted.substr(begin.size()))};
  return {CtfScope::kNowhere, split(dotted)};
}

void TsdlTypes::members(CtfField& parent) {
  scopes_.emplace_back();
  while (!failed() && !take("}")) {
    if (is_name("typealias")) {
      alias();
    } else if (is_name("typedef")) {
      definition();
    } else if (!take(";")) {
      member(parent);
    }
  }
  scopes_.pop_back();
}

// TYPE NAME, NAME[LENGTH]; or a type alone, which gets a name by that.
void TsdlTypes::member(CtfField& parent) {
  std::string declared;
  const CtfField field = type(&declared);
  if (declared.empty() && take(";")) return;
  do {
    if (declared.empty()) declared = name();
    CtfField child = declarator(parts_.copy(field), std::move(declared));
    declared.clear();
    if (parent.kind == kVariant) {
      parts_.add_option(parent, std::move(child), {});
    } else {
      parts_.add(parent, std::move(child));
    }
    if (parts_.exceeded()) fail("it describes more fields, or longer names, than any trace has");
  } while (take(","));
  expect(";");
}

// Of several lengths the last is of what stands side by side.
CtfField TsdlTypes::declarator(CtfField field, std::string name) {
  struct Length {
    std::uint64_t count = 0;
    std::string told_by;
  };
  std::vector<Length> lengths;
  while (take("[")) {
    Length length;
    if (words_->kind == TsdlWord::Kind::kNumber) {
      length.count = number();
    } else {
      length.told_by = dotted();
    }
    lengths.push_back(std::move(length));
    if (lengths.size() > CtfParts::kDeepest) fail("an array of too many dimensions");
    expect("]");
  }
  for (const Length& length : lengths | std::views::reverse) {
    field = length.told_by.empty() ? parts_.array(std::move(field), length.count)
                                   : parts_.sequence(std::move(field), path(length.told_by));
  }
  parts_.name(field, std::move(name));
  return field;
}

}  // namespace kutrace::read
