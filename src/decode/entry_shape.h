// SPDX-License-Identifier: BSD-3-Clause
// What an entry's number says of the entry: how many words it has, and what its low 32 bits are.
// A table, as this is asked for every entry.
#pragma once

#include <array>
#include <cstdint>

#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::decode {

class EntryShape {
 public:
  constexpr EntryShape() = default;
  constexpr EntryShape(unsigned words, bool is_wide, bool is_call)
      : bits_(static_cast<std::uint8_t>(words | (is_wide ? kWide : 0) | (is_call ? kCall : 0))) {}

  // 1 to KUTRACE_MAX_WORDS; 0: TSDELTA, which is part of the next entry's time, and name entries of
  // lengths that there are not.
  constexpr unsigned words() const { return bits_ & kWords; }
  // All 32 low bits are the argument; else the lower 16.
  constexpr bool is_wide() const { return (bits_ & kWide) != 0; }
  // The upper 16 bits are ticks and result, if there are ticks.
  constexpr bool is_call() const { return (bits_ & kCall) != 0; }

 private:
  static constexpr unsigned kWords = 15;
  static constexpr unsigned kWide = 16;
  static constexpr unsigned kCall = 32;

  std::uint8_t bits_ = 0;
};

namespace entry_shapes {
constexpr unsigned words_of(EventNum number) {
  if (number == ev::kTSDELTA) return 0;
  switch (event_class(number)) {
    case EventClass::kPcSample:
      return 2;
    case EventClass::kName: {
      const unsigned words = name_kind(number) == kind::kPC_TEMP ? 2 : name_words(number);
      return words <= KUTRACE_MAX_WORDS ? words : 0;
    }
    default:
      return 1;
  }
}

constexpr std::array<EntryShape, kEventNumbers> of_numbers() {
  std::array<EntryShape, kEventNumbers> shapes;
  for (EventNum number = 0; number < kEventNumbers; ++number) {
    // Names and moments have no ticks and no result.
    const bool is_wide = number < ev::kFirstCall && has_wide_argument(number);
    shapes[number] = {words_of(number), is_wide, is_call(number)};
  }
  return shapes;
}
}  // namespace entry_shapes

inline constexpr std::array<EntryShape, kEventNumbers> kShapes = entry_shapes::of_numbers();

}  // namespace kutrace::decode
