// SPDX-License-Identifier: BSD-3-Clause
// Version 00 of https://www.w3.org/TR/trace-context; later ones begin alike and may go on.
#include "emit/otlp/trace_context.h"

#include "base/number_text.h"

namespace kutrace::emit {

namespace {

constexpr std::string_view kHeader = "traceparent=";
constexpr std::size_t kDigits = 16;  // of 64 bits
// Places behind the header: version, trace, span, flags.
constexpr std::size_t kTraceAt = 3;
constexpr std::size_t kSpanAt = kTraceAt + 2 * kDigits + 1;
constexpr std::size_t kFlagsAt = kSpanAt + kDigits + 1;
constexpr std::size_t kLength = kFlagsAt + 2;

bool is_lower_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool has_shape(std::string_view text) {
  for (std::size_t i = 0; i < kLength; ++i) {
    const bool is_dash = i + 1 == kTraceAt || i + 1 == kSpanAt || i + 1 == kFlagsAt;
    if (is_dash ? text[i] != '-' : !is_lower_hex(text[i])) return false;
  }
  return true;
}

}  // namespace

std::optional<TraceContext> trace_context(std::string_view label) {
  if (!label.starts_with(kHeader)) return std::nullopt;
  const std::string_view text = label.substr(kHeader.size());
  if (text.size() < kLength || !has_shape(text) || text.starts_with("ff")) return std::nullopt;
  if (text.size() > kLength && (text.starts_with("00") || text[kLength] != '-'))
    return std::nullopt;
  const auto number = [&](std::size_t at) {
    return parse_number<std::uint64_t>(text.substr(at, kDigits), 16).value_or(0);
  };
  const TraceContext found{{number(kTraceAt), number(kTraceAt + kDigits)}, number(kSpanAt)};
  const bool is_valid = (found.trace.high != 0 || found.trace.low != 0) && found.span != 0;
  return is_valid ? std::optional(found) : std::nullopt;
}

}  // namespace kutrace::emit
