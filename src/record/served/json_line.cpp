// SPDX-License-Identifier: BSD-3-Clause
// Values are read where they are asked for.
#include "record/served/json_line.h"

#include <algorithm>
#include <optional>

#include "base/json_scanner.h"
#include "base/number_text.h"
#include "base/text.h"

namespace kutrace::record {

namespace {

// Values of a list, as they stand in it.
std::optional<std::vector<std::string_view>> elements_of(std::string_view list) {
  JsonScanner scanner(list);
  std::vector<std::string_view> elements;
  if (!scanner.take('[')) return std::nullopt;
  if (scanner.take(']')) return elements;
  do {
    elements.push_back(scanner.skip_value());
  } while (!scanner.failed() && scanner.take(','));
  scanner.expect(']', "a list ends");
  if (scanner.failed()) return std::nullopt;
  return elements;
}

std::optional<std::string> text_of(std::string_view value) {
  if (!value.starts_with('"')) return std::nullopt;
  JsonScanner scanner(value);
  const std::string_view raw = scanner.raw_string();
  if (scanner.failed()) return std::nullopt;
  return json_unescaped(raw);
}

// All elements, or nothing.
template <typename Read>
auto all_of_list(std::string_view list, Read&& read)
    -> std::optional<std::vector<typename decltype(read(list))::value_type>> {
  const auto elements = elements_of(list);
  if (!elements) return std::nullopt;
  std::vector<typename decltype(read(list))::value_type> all;
  for (const std::string_view element : *elements) {
    auto value = read(element);
    if (!value) return std::nullopt;
    all.push_back(std::move(*value));
  }
  return all;
}

std::optional<std::uint64_t> number_in(std::string_view value) {
  return parse_number<std::uint64_t>(value);
}

std::optional<std::vector<std::uint64_t>> numbers_in(std::string_view value) {
  return all_of_list(value, number_in);
}

}  // namespace

std::optional<JsonLine> JsonLine::parse(std::string_view text) {
  JsonScanner scanner(text);
  JsonLine line;
  if (!scanner.take('{')) return std::nullopt;
  if (!scanner.take('}')) {
    do {
      const std::string_view key = scanner.raw_string();
      scanner.expect(':', "a value follows");
      if (scanner.failed()) return std::nullopt;
      scanner.peek();
      const std::string_view value = scanner.skip_value();
      if (scanner.failed()) return std::nullopt;
      if (!line.values_.emplace(json_unescaped(key), value).second) return std::nullopt;
    } while (scanner.take(','));
    scanner.expect('}', "the object ends");
  }
  if (scanner.failed() || !scanner.at_end()) return std::nullopt;
  return line;
}

std::optional<std::uint64_t> JsonLine::number(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : number_in(found->second);
}

std::optional<std::string> JsonLine::text(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : text_of(found->second);
}

std::optional<bool> JsonLine::flag(std::string_view key) const {
  const auto found = values_.find(key);
  if (found == values_.end() || (found->second != "true" && found->second != "false"))
    return std::nullopt;
  return found->second == "true";
}

std::optional<std::vector<std::uint64_t>> JsonLine::numbers(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : numbers_in(found->second);
}

std::optional<std::vector<std::string>> JsonLine::texts(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : all_of_list(found->second, text_of);
}

std::optional<std::vector<std::vector<std::uint64_t>>> JsonLine::rows(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : all_of_list(found->second, numbers_in);
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) {
    if (list.size() > 1) list += ',';
    list += '"' + json_printable(text) + '"';
  }
  return list + ']';
}

}  // namespace kutrace::record
