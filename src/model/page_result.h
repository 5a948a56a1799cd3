// SPDX-License-Identifier: BSD-3-Clause
// What a page holds of a result: the low 16 bits and, of a success that they make look like an
// error, kPageSuccess. In: what a call returned; out: the number in the page; and back.
#pragma once

#include <cstdint>

#include "format/errno_name.h"
#include "format/page_format.h"
#include "model/span.h"

namespace kutrace {

inline std::uint32_t page_result(SpanKind kind, CallResult result) {
  const std::uint16_t low = low_bits(result);
  const bool looks_failed =
      kind == SpanKind::kSyscall && result.value >= 0 && !errno_name(low_result(low).value).empty();
  return looks_failed ? kPageSuccess | low : low;
}

// Of a column of results: 0 is none, all others are one more.
constexpr CallResult result_of_page(std::uint64_t number) {
  const std::uint64_t held = number == 0 ? 0 : number - 1;
  if (held >= kPageSuccess) return {static_cast<std::int64_t>(held - kPageSuccess), false};
  return low_result(static_cast<std::uint32_t>(held));
}

}  // namespace kutrace
