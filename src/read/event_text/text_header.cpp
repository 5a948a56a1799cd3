// SPDX-License-Identifier: BSD-3-Clause
// "# key : value", and "# entries-in-buffer/entries-written: 10/12   #P:2".
#include "read/event_text/text_header.h"

#include <array>
#include <optional>
#include <utility>

#include "base/number_text.h"

namespace kutrace::read {

namespace {

constexpr std::string_view kEntries = "# entries-in-buffer/entries-written: ";
constexpr std::string_view kClock = "clockid: monotonic ";

std::string_view value_of(std::string_view line, std::string_view key) {
  if (!line.starts_with("# ")) return {};
  line.remove_prefix(2);
  if (!line.starts_with(key)) return {};
  line.remove_prefix(key.size());
  return line.starts_with(" : ") ? line.substr(3) : std::string_view();
}

}  // namespace

void TextHeader::add(std::string_view line) {
  for (const auto& [key, field] : {std::pair(std::string_view("arch"), &machine),
                                   std::pair(std::string_view("hostname"), &host),
                                   std::pair(std::string_view("os release"), &release)}) {
    if (const std::string_view value = value_of(line, key); !value.empty()) *field = value;
  }
  is_monotonic = is_monotonic || line.contains(kClock);
  if (!line.starts_with(kEntries)) return;
  line.remove_prefix(kEntries.size());
  const std::size_t slash = line.find('/');
  if (slash == line.npos) return;
  const auto kept = parse_number<std::uint64_t>(line.substr(0, slash));
  line.remove_prefix(slash + 1);
  const auto written = parse_number<std::uint64_t>(line.substr(0, line.find(' ')));
  if (kept && written && *written > *kept) overwritten = *written - *kept;
}

}  // namespace kutrace::read
