// SPDX-License-Identifier: BSD-3-Clause
// The first word of an entry. In: a word; out: its parts; and a word made of parts
// (doc/trace-format.md).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.h"
#include "kutrace/abi.h"

namespace kutrace {

constexpr EventNum entry_event(std::uint64_t word) {
  return static_cast<EventNum>(word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK);
}

constexpr std::uint32_t entry_arg(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

// Bits 43:0: all but the time.
constexpr std::uint64_t low44(std::uint64_t word) {
  return word & ((std::uint64_t{1} << KUTRACE_TIME_SHIFT) - 1);
}
constexpr std::uint64_t low44(EventNum number, std::uint32_t argument) {
  return low44(std::uint64_t{number} << KUTRACE_EVENT_SHIFT | argument);
}

// The event number of a name entry of `words` words, the first one included.
constexpr EventNum with_length(EventNum kind, std::size_t words) {
  return kind | static_cast<EventNum>(words << KUTRACE_LENGTH_SHIFT);
}

}  // namespace kutrace
