// SPDX-License-Identifier: BSD-3-Clause
// One decoded entry of a block, its time still in counter ticks but whole.
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
  // The payload as text: up to the first NUL.
  std::string payload_text() const {
    if (words < 2) return {};
    const auto* text = reinterpret_cast<const char*>(payload);
    return {text, strnlen(text, 8 * (std::size_t{words} - 1))};
  }
};

// userpid: the thread that runs now; and whether the entry only proves that a switch was missed.
constexpr std::uint32_t switched_to(std::uint32_t arg) { return arg & KUTRACE_SWITCH_PID_MASK; }
// Whether what it does is left out by the filter of the recording.
constexpr bool is_hidden_switch(std::uint32_t arg) { return (arg & KUTRACE_SWITCH_HIDDEN) != 0; }
// Not a switch: who runs, said again.
constexpr bool is_statement(std::uint32_t arg) { return (arg & KUTRACE_SWITCH_UNSEEN) == 0; }
constexpr bool is_unseen_switch(std::uint32_t arg) {
  return (arg & KUTRACE_SWITCH_UNSEEN) == KUTRACE_SWITCH_UNSEEN;
}

}  // namespace kutrace::decode
