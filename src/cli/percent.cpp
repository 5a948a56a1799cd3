// SPDX-License-Identifier: BSD-3-Clause
// A number, and a sign that may be missing.
#include "cli/percent.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/number_text.h"
#include "base/text.h"

namespace kutrace::cli {

Result<double> parse_percent(std::string_view option, std::string_view text) {
  const std::string_view number_part = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
  const std::optional<double> number = parse_number<double>(number_part);
  if (number && std::isfinite(*number) && *number >= 0) return *number;
  return fail(usage_error(fmt::format("{}: '{}' is no percentage", option, printable(text))));
}

}  // namespace kutrace::cli
