// SPDX-License-Identifier: BSD-3-Clause
// Reading marks with a margin.
#include "cli/time_text.h"

#include <string>

namespace kutrace::cli {

Result<MarkMargin> parse_mark_margin(std::string_view text) {
  for (const std::string_view sign : {"±", "+-"}) {
    const std::size_t at = text.rfind(sign);
    if (at == text.npos || at == 0) continue;
    KUTRACE_ASSIGN(const Ns margin, parse_time(text.substr(at + sign.size()), 1'000'000));
    return MarkMargin{std::string(text.substr(0, at)), margin};
  }
  return fail(usage_error("'" + std::string(text) + "' is not a mark and a length of time")
                  .with_hint("write for example request±5ms or request+-5ms"));
}

}  // namespace kutrace::cli
