// SPDX-License-Identifier: BSD-3-Clause
// A line of the daemon's protocol: one JSON object whose values are numbers, words, texts, and
// lists of these. In: text of unknown origin; out: its values by key.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace::record {

class JsonLine {
 public:
  // None if the text is not one object, or names something twice.
  static std::optional<JsonLine> parse(std::string_view text);

  bool has(std::string_view key) const { return values_.contains(key); }
  // None if there is no such value, or it is not one of this kind.
  std::optional<std::uint64_t> number(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;
  std::optional<bool> flag(std::string_view key) const;
  std::optional<std::vector<std::uint64_t>> numbers(std::string_view key) const;
  std::optional<std::vector<std::string>> texts(std::string_view key) const;
  // Lists of numbers.
  std::optional<std::vector<std::vector<std::uint64_t>>> rows(std::string_view key) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;  // as they stand in the text
};

// A list of texts.
std::string json_list(const std::vector<std::string>& texts);

}  // namespace kutrace::record
