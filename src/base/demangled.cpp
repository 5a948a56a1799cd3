// SPDX-License-Identifier: BSD-3-Clause
// Asking the C++ library.
#include "base/demangled.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace kutrace {

namespace {

constexpr std::string_view kMangled = "_Z";
constexpr std::size_t kMostLength = 512;
constexpr std::ptrdiff_t kMostRepeats = 12;

}  // namespace

// The library would take "f" for the type float.
std::string demangled(const char* symbol) {
  const std::string_view text = symbol;
  if (!text.starts_with(kMangled)) return std::string(text);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 ? plain.get() : std::string(text);
}

bool is_soon_demangled(const std::string& symbol) {
  return symbol.size() <= kMostLength &&
         std::ranges::count_if(symbol, [](char c) { return c == 'S' || c == 'T'; }) <= kMostRepeats;
}

}  // namespace kutrace
