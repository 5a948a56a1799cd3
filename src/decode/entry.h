// SPDX-License-Identifier: BSD-3-Clause
// One decoded entry of a block. Its time is the whole counter, in ticks.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "base/units.h"
#include "kutrace/abi.h"

namespace kutrace::decode {

struct Entry {
  Ticks time = 0;
  std::uint32_t arg = 0;               // bits 31:0 for a wide argument, else bits 15:0
  std::uint16_t number = 0;            // 12-bit event number
  std::uint16_t result = 0;            // folded call: result, sign-extended to 16 bits
  std::uint8_t fold_ticks = 0;         // folded call: ticks from call to return; 0: not folded
  std::uint8_t ipc = 0;                // trailer byte; 0 if the trace has none
  std::uint8_t words = 1;              // length of the entry, itself included
  const std::byte* payload = nullptr;  // words - 1 words that follow it in the file

  std::uint64_t payload_word(unsigned index) const {
    std::uint64_t value;
    std::memcpy(&value, payload + 8 * std::size_t{index}, sizeof value);
    return value;
  }
  // The payload as text, up to the first NUL; empty if there is none.
  std::string payload_text() const {
    if (words < 2) return {};
    const auto* text = reinterpret_cast<const char*>(payload);
    return {text, strnlen(text, 8 * (std::size_t{words} - 1))};
  }
};

// Of the argument of a userpid entry: the thread that runs from there on.
constexpr std::uint32_t switched_to(std::uint32_t arg) { return arg & KUTRACE_SWITCH_PID_MASK; }
// Whether the recording's filter excludes that thread.
constexpr bool is_hidden_switch(std::uint32_t arg) { return (arg & KUTRACE_SWITCH_HIDDEN) != 0; }
// Whether it says only who runs, and not how the thread before was left.
constexpr bool is_statement(std::uint32_t arg) { return (arg & KUTRACE_SWITCH_UNSEEN) == 0; }
// Whether it is no switch but the proof that one was missed.
constexpr bool is_unseen_switch(std::uint32_t arg) {
  return (arg & KUTRACE_SWITCH_UNSEEN) == KUTRACE_SWITCH_UNSEEN;
}

}  // namespace kutrace::decode
