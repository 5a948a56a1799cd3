// SPDX-License-Identifier: BSD-3-Clause
// Stacks as text: the names of functions, the outermost first, with ; between them, as tools for
// flame graphs take them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "format/symbol_text.h"
#include "kutrace/abi.h"
#include "model/stack.h"

namespace kutrace {

inline void add_frame(std::string& text, std::string_view function) {
  if (!text.empty()) text += ';';
  for (const char c : function) text += c == ';' ? ',' : c;
}

// Appends all frames of `addresses`, which begin with the innermost. `name_of(address)` is the name
// of the code there; if it is empty, the address is written.
template <typename NameOf>
void add_frames(std::string& text, std::span<const std::uint64_t> addresses,
                const NameOf& name_of) {
  if (addresses.size() >= KUTRACE_STACK_FRAMES) add_frame(text, kStackCut);
  for (std::size_t i = addresses.size(); i-- != 0;) {
    const std::uint64_t address = code_of_frame(addresses[i], i == 0);
    const std::string name = name_of(address);
    add_frame(text, name.empty() ? fmt::format("{:#x}", address) : name);
  }
}

}  // namespace kutrace
