// SPDX-License-Identifier: BSD-3-Clause
// What writer and reader of span JSON agree on beside KUtrace's own keys (doc/span-json.md).
#pragma once

#include <string_view>

namespace kutrace {

// Keys of the facts that this project adds: kutraceFact00000, ...; upstream's tools pass them on.
constexpr std::string_view kJsonFactKey = "kutraceFact";
constexpr std::string_view kKernelThreadsFact = "kernel_threads";
// What was counted of the trace: counted.SEVERITY.NAME.
constexpr std::string_view kCountedFact = "counted.";
// KUtrace's times count from a full minute; this one is of the recording's begin.
constexpr std::string_view kJsonTimeZeroFact = "time_zero_ns";

}  // namespace kutrace
