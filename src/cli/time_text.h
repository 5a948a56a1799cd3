// SPDX-License-Identifier: BSD-3-Clause
// Lengths of time, and marks with a margin, as people write them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time_length.h"
#include "base/units.h"

namespace kutrace::cli {

// A mark and how much around it: "request±5ms" or "request+-5ms".
struct MarkMargin {
  std::string mark;
  Ns margin = 0;
};
Result<MarkMargin> parse_mark_margin(std::string_view text);

}  // namespace kutrace::cli
