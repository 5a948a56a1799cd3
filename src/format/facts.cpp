// SPDX-License-Identifier: BSD-3-Clause
// Facts as texts, and back.
#include "format/facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/number_list.h"
#include "base/number_text.h"

namespace kutrace {

namespace fact {

std::string to_text(const Text& value) { return value; }
std::string to_text(Count value) { return std::to_string(value); }
std::string to_text(Real value) { return fmt::format("{}", value); }
std::string to_text(const Rate& value) {
  return fmt::format("{}/{}", value.numerator, value.denominator);
}
std::string to_text(const Cpus& value) { return fmt::format("{}", fmt::join(value, ",")); }
std::string to_text(Switch value) { return value ? "on" : "off"; }
std::string to_text(const Words& value) { return fmt::format("{}", fmt::join(value, ",")); }

namespace {

template <typename Number>
bool parse_whole(std::string_view text, Number& value) {
  const auto number = parse_number<Number>(text);
  value = number.value_or(Number{});
  return number.has_value();
}

}  // namespace

bool parse(const std::string& text, Text& value) {
  value = text;
  return true;
}

bool parse(const std::string& text, Count& value) { return parse_whole(text, value); }

bool parse(const std::string& text, Real& value) {
  return parse_whole(text, value) && std::isfinite(value);
}

// Without a denominator it is nanoseconds.
bool parse(const std::string& text, Rate& value) {
  const std::size_t slash = text.find('/');
  const std::string_view whole(text);
  value.denominator = 1;
  return parse_whole(whole.substr(0, slash), value.numerator) &&
         (slash == text.npos || parse_whole(whole.substr(slash + 1), value.denominator)) &&
         std::isfinite(value.ns(1));
}

// Those before the first that is none.
bool parse(const std::string& text, Cpus& value) {
  value = parse_cpu_list(text);
  return true;
}

bool parse(const std::string& text, Switch& value) {
  value = text == "on";
  return value || text == "off";
}

bool parse(const std::string& text, Words& value) {
  std::string_view rest(text);
  value.clear();
  while (true) {
    const std::size_t comma = rest.find(',');
    value.emplace_back(rest.substr(0, comma));
    if (comma == rest.npos) return true;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace fact

const std::string* Facts::find(std::string_view key) const {
  const auto found = std::ranges::find(all_, key, &Fact::first);
  return found == all_.end() ? nullptr : &found->second;
}

}  // namespace kutrace
