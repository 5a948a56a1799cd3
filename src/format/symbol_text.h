// SPDX-License-Identifier: BSD-3-Clause
// Records of code and the texts of MAP, SYMBOL and STACK entries (doc/trace-format.md). In: a
// record; out: its text; and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace kutrace {

// Executable memory of a process and the file that it is a part of. A record without a path says
// that what was there before is gone.
struct MapRecord {
  Pid process = 0;
  Ticks from = 0;  // counter from which on it was there; 0: since before the recording
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;  // of `start` in the file
  std::string build_id;      // hexadecimal; empty: not known
  std::string path;          // as the process saw it; [vdso]; empty: no file

  bool operator==(const MapRecord&) const = default;
};

// What code that was sampled is called.
struct SymbolRecord {
  Pid process = 0;  // 0: the kernel
  Ticks from = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::string name;

  bool operator==(const SymbolRecord&) const = default;
};

// Addresses of a stack that entries name by its number.
struct StackRecord {
  std::uint32_t number = 0;
  Ticks from = 0;                     // counter from which on the number means this stack
  std::vector<std::uint64_t> frames;  // the innermost first; callers by where their call returns to

  bool operator==(const StackRecord&) const = default;
};

// The address whose code a frame is in. Of a caller, that is the call, one byte before the address
// to return to: the call may be the last instruction of its function.
constexpr std::uint64_t code_of_frame(std::uint64_t address, bool is_innermost) {
  return is_innermost ? address : address - 1;
}

std::string record_text(const MapRecord& map);
std::string record_text(const SymbolRecord& symbol);
std::string record_text(const StackRecord& stack);

// Nothing if the text has another form.
std::optional<MapRecord> parse_map_record(std::string_view text);
std::optional<SymbolRecord> parse_symbol_record(std::string_view text);
std::optional<StackRecord> parse_stack_record(std::string_view text);

}  // namespace kutrace
