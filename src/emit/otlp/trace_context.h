// SPDX-License-Identifier: BSD-3-Clause
// Which span of another program a request belongs to, as the program says it by a mark. In: the
// mark's label, a header of W3C Trace Context: "traceparent=00-TRACE-SPAN-FLAGS"; out: both
// numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kutrace::emit {

struct TraceNumber {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

struct TraceContext {
  TraceNumber trace;
  std::uint64_t span = 0;
};

// None if the label is no such header, or one that W3C calls invalid.
std::optional<TraceContext> trace_context(std::string_view label);

}  // namespace kutrace::emit
