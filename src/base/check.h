// SPDX-License-Identifier: BSD-3-Clause
// Promises that the program makes to itself, checked in every build. In: whether one was kept; out:
// nothing, or Bug is thrown with a sentence that says which. The caller that knows where in the
// trace that was adds it (spans/rebuild.cpp).
#pragma once

#include <stdexcept>
#include <string>

namespace kutrace {

class Bug : public std::logic_error {
 public:
  explicit Bug(const std::string& what) : std::logic_error(what) {}
};

[[noreturn]] void broken(const char* promise);

// Costs one comparison, so it may stand where the program is hottest. `promise` says what holds,
// not what went wrong.
inline void check(bool kept, const char* promise) {
  if (!kept) [[unlikely]] {
    broken(promise);
  }
}

}  // namespace kutrace
