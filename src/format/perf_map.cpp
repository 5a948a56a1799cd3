// SPDX-License-Identifier: BSD-3-Clause
// Lines of a perf map; those that are none are passed over.
#include "format/perf_map.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace kutrace {

namespace {

// A hexadecimal number and the blank behind it, taken off the front.
std::optional<std::uint64_t> take_number(std::string_view& line) {
  if (line.starts_with("0x")) line.remove_prefix(2);
  std::uint64_t value = 0;
  const char* end = line.data() + line.size();
  const auto parsed = std::from_chars(line.data(), end, value, 16);
  if (parsed.ec != std::errc() || parsed.ptr == end || *parsed.ptr != ' ') return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(parsed.ptr - line.data()) + 1);
  return value;
}

}  // namespace

PerfMap::PerfMap(std::string_view text) {
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    const auto start = take_number(line);
    const auto size = start ? take_number(line) : std::nullopt;
    if (!size || *size == 0 || line.empty()) continue;
    if (*size > std::numeric_limits<std::uint64_t>::max() - *start) continue;
    functions_.set(*start, *start + *size, std::string(line));
  }
}

std::optional<MadeFunction> PerfMap::find(std::uint64_t pc) const {
  const auto& ranges = functions_.ranges();
  auto behind = ranges.upper_bound(pc);
  if (behind == ranges.begin()) return std::nullopt;
  const auto& [start, range] = *--behind;
  if (pc >= range.end) return std::nullopt;
  return MadeFunction{start, range.end, range.value};
}

bool may_be_made_code(std::string_view path) {
  constexpr std::array<std::string_view, 6> kNames = {
      "//anon", "[anon", "/memfd:", "/dev/zero", "/SYSV", "[heap]"};
  return path.empty() || std::any_of(kNames.begin(), kNames.end(), [path](std::string_view name) {
           return path.starts_with(name);
         });
}

}  // namespace kutrace
