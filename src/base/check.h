// SPDX-License-Identifier: BSD-3-Clause
// Promises that the program makes to itself, checked in every build. One that is broken is a bug:
// it ends the program with a sentence that says which, and where in the trace.
#pragma once

#include <stdexcept>
#include <string>

namespace kutrace {

class Bug : public std::logic_error {
 public:
  explicit Bug(const std::string& what) : std::logic_error(what) {}
};

[[noreturn]] void broken(const char* promise);

// Of one comparison or two: they stay where the program is hottest.
inline void check(bool kept, const char* promise) {
  if (!kept) [[unlikely]] {
    broken(promise);
  }
}

}  // namespace kutrace
