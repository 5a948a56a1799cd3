// SPDX-License-Identifier: BSD-3-Clause
// What the limits of a list are, and what is said of a text that is none.
#include "cli/number_list.h"

#include <limits>
#include <string>

#include "base/number_list.h"

namespace kutrace::cli {

template <typename Number>
Result<std::unordered_set<Number>> parse_number_list(std::string_view text) {
  constexpr std::size_t kMost = 1u << 20;
  const NumberList list = read_number_list(
      text, {static_cast<std::uint32_t>(std::numeric_limits<Number>::max()), kMost});
  if (!list.whole) {
    return fail(usage_error("'" + std::string(text) + "' is not a list of numbers")
                    .with_hint("write for example 3 or 0-3,8"));
  }
  std::unordered_set<Number> numbers;
  for (const std::uint32_t number : list.numbers) numbers.insert(static_cast<Number>(number));
  return numbers;
}

template Result<std::unordered_set<std::uint32_t>> parse_number_list(std::string_view);
template Result<std::unordered_set<std::int32_t>> parse_number_list(std::string_view);

}  // namespace kutrace::cli
