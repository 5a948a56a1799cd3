// SPDX-License-Identifier: BSD-3-Clause
// The fields of both.
#include "format/symbol_text.h"

#include <fmt/format.h>

#include "base/append_format.h"
#include "base/number_text.h"
#include "format/text_fields.h"
#include "kutrace/abi.h"

namespace kutrace {

namespace {

// What both begin with: whose it is, since when, and where.
template <typename Record>
Record head_of(TextFields& fields) {
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

std::string record_text(const StackRecord& stack) {
  std::string text = fmt::format("{:x} {:x}", stack.number, stack.from);
  for (const std::uint64_t frame : stack.frames) append_format(text, " {:x}", frame);
  return text;
}

std::optional<MapRecord> parse_map_record(std::string_view text) {
  TextFields fields(text);
  auto map = head_of<MapRecord>(fields);
  map.offset = fields.number<std::uint64_t>(16);
  const std::string_view build_id = fields.word();
  if (build_id != "-") map.build_id = build_id;
  map.path = fields.rest();
  if (!fields.good() || map.start >= map.end) return std::nullopt;
  return map;
}

std::optional<SymbolRecord> parse_symbol_record(std::string_view text) {
  TextFields fields(text);
  auto symbol = head_of<SymbolRecord>(fields);
  symbol.name = fields.rest();
  if (!fields.good() || symbol.start >= symbol.end || symbol.name.empty()) return std::nullopt;
  return symbol;
}

std::optional<StackRecord> parse_stack_record(std::string_view text) {
  TextFields fields(text);
  StackRecord stack;
  stack.number = fields.number<std::uint32_t>(16);
  stack.from = fields.number<Ticks>(16);
  while (fields.good() && fields.rest().find(' ') != std::string_view::npos &&
         stack.frames.size() < KUTRACE_STACK_FRAMES - 1)
    stack.frames.push_back(fields.number<std::uint64_t>(16));
  const auto outermost = parse_number<std::uint64_t>(fields.rest(), 16);
  if (!fields.good() || !outermost) return std::nullopt;
  stack.frames.push_back(*outermost);
  return stack;
}

}  // namespace kutrace
