// SPDX-License-Identifier: BSD-3-Clause
// Fields between blanks; the last one may hold blanks itself.
#include "format/symbol_text.h"

#include <fmt/format.h>

#include "base/number_text.h"

namespace kutrace {

namespace {

// Takes fields off the front of a text; after the first that is wrong, nothing is right.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  std::string_view word() {
    const std::size_t blank = rest_.find(' ');
    good_ = good_ && blank != std::string_view::npos;
    if (!good_) return {};
    const std::string_view word = rest_.substr(0, blank);
    rest_.remove_prefix(blank + 1);
    return word;
  }

  template <typename Number>
  Number number(int base) {
    const auto value = parse_number<Number>(word(), base);
    good_ = good_ && value.has_value();
    return value.value_or(0);
  }

  std::string_view rest() const { return rest_; }
  bool good() const { return good_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

// What both begin with: whose it is, since when, and where.
template <typename Record>
Record head_of(Fields& fields) {
  Record record;
  record.process = fields.number<Pid>(10);
  record.from = fields.number<Ticks>(16);
  record.start = fields.number<std::uint64_t>(16);
  record.end = fields.number<std::uint64_t>(16);
  return record;
}

}  // namespace

std::string record_text(const MapRecord& map) {
  return fmt::format("{} {:x} {:x} {:x} {:x} {} {}", map.process, map.from, map.start, map.end,
                     map.offset, map.build_id.empty() ? "-" : map.build_id, map.path);
}

std::string record_text(const SymbolRecord& symbol) {
  return fmt::format("{} {:x} {:x} {:x} {}", symbol.process, symbol.from, symbol.start, symbol.end,
                     symbol.name);
}

std::optional<MapRecord> parse_map_record(std::string_view text) {
  Fields fields(text);
  auto map = head_of<MapRecord>(fields);
  map.offset = fields.number<std::uint64_t>(16);
  const std::string_view build_id = fields.word();
  if (build_id != "-") map.build_id = build_id;
  map.path = fields.rest();
  if (!fields.good() || map.start >= map.end) return std::nullopt;
  return map;
}

std::optional<SymbolRecord> parse_symbol_record(std::string_view text) {
  Fields fields(text);
  auto symbol = head_of<SymbolRecord>(fields);
  symbol.name = fields.rest();
  if (!fields.good() || symbol.start >= symbol.end || symbol.name.empty()) return std::nullopt;
  return symbol;
}

}  // namespace kutrace
