// SPDX-License-Identifier: BSD-3-Clause
// Fetches an object into the cache, for code that will need it in some hundred nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kutrace {

// How soon something comes: what it leads to is fetched step by step.
enum class Ahead : std::uint8_t { kFar, kNear };

// Any address will do: nothing is read that the program could see, and nothing faults.
template <typename T>
void prefetch(const T* object) {
  constexpr std::size_t kLine = 64;
  const auto* const bytes = reinterpret_cast<const char*>(object);
  for (std::size_t line = 0; line < sizeof(T); line += kLine) __builtin_prefetch(bytes + line);
  // To GCC a function that only fetches does nothing, and calls of it are left out.
  asm volatile("");
}

}  // namespace kutrace
