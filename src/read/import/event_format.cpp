// SPDX-License-Identifier: BSD-3-Clause
// Lines of a format to fields. A field that is not understood is left out.
#include "read/import/event_format.h"

#include <algorithm>

#include "base/number_text.h"

namespace kutrace::read {

namespace {

constexpr std::size_t kMostFields = 64;

// Of "offset:8;size:4;" what stands behind `key` up to the semicolon.
std::string_view value_of(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == line.npos) return {};
  line.remove_prefix(at + key.size());
  return line.substr(0, line.find(';'));
}

// "pid_t next_pid", "char comm[16]", "__data_loc char[] name", "unsigned long args[6]".
std::string_view name_in(std::string_view declaration) {
  if (declaration.ends_with(']')) declaration = declaration.substr(0, declaration.rfind('['));
  const std::size_t blank = declaration.find_last_of(" *");
  return blank == declaration.npos ? declaration : declaration.substr(blank + 1);
}

std::optional<EventField> parse_field(std::string_view line) {
  const std::string_view declaration = value_of(line, "field:");
  const auto offset = parse_number<std::uint32_t>(value_of(line, "offset:"));
  const auto size = parse_number<std::uint32_t>(value_of(line, "size:"));
  if (declaration.empty() || !offset || !size) return std::nullopt;
  EventField field;
  field.name = name_in(declaration);
  field.offset = *offset;
  field.size = *size;
  field.is_signed = value_of(line, "signed:") == "1";
  field.is_elsewhere = declaration.starts_with("__data_loc");
  return field;
}

}  // namespace

const EventField* EventFormat::field(std::string_view wanted) const {
  const auto found = std::ranges::find(fields, wanted, &EventField::name);
  return found == fields.end() ? nullptr : &*found;
}

std::optional<EventFormat> parse_event_format(std::string_view text) {
  EventFormat format;
  std::optional<std::uint16_t> id;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("print fmt:")) break;
    if (line.starts_with("name: ")) {
      format.name = line.substr(6);
    } else if (line.starts_with("ID: ")) {
      id = parse_number<std::uint16_t>(line.substr(4));
    } else if (auto field = parse_field(line); field && format.fields.size() < kMostFields) {
      format.fields.push_back(*std::move(field));
    }
  }
  if (format.name.empty() || !id) return std::nullopt;
  format.id = *id;
  return format;
}

}  // namespace kutrace::read
