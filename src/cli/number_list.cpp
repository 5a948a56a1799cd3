// SPDX-License-Identifier: BSD-3-Clause
// Reading lists of numbers.
#include "cli/number_list.h"

#include <charconv>
#include <string>

namespace kutrace {

template <typename Number>
Result<std::unordered_set<Number>> parse_number_list(std::string_view text) {
  constexpr Number kMostOfRange = 65536;
  const auto bad = [&] {
    return fail(usage_error("'" + std::string(text) + "' is not a list of numbers")
                    .with_hint("write for example 3 or 0-3,8"));
  };
  std::unordered_set<Number> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    Number first = 0;
    auto parsed = std::from_chars(at, end, first);
    if (parsed.ec != std::errc() || first < 0) return bad();
    Number last = first;
    if (parsed.ptr < end && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, last);
      if (parsed.ec != std::errc() || last < first || last - first > kMostOfRange) return bad();
    }
    for (Number i = 0; i <= last - first; ++i) numbers.insert(first + i);
    if (parsed.ptr == end) return numbers;
    if (*parsed.ptr != ',') return bad();
    at = parsed.ptr + 1;
  }
}

template Result<std::unordered_set<std::uint32_t>> parse_number_list(std::string_view);
template Result<std::unordered_set<std::int32_t>> parse_number_list(std::string_view);

}  // namespace kutrace
