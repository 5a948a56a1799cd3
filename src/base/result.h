// SPDX-License-Identifier: BSD-3-Clause
// The result of everything that can fail: a value or an Error.
#pragma once

#include <expected>
#include <utility>

#include "base/error.h"

namespace kutrace {

template <typename T>
using Result = std::expected<T, Error>;

using Status = std::expected<void, Error>;

inline std::unexpected<Error> fail(Error error) { return std::unexpected<Error>(std::move(error)); }

}  // namespace kutrace

// Evaluates to the statement's error and leaves the function if it failed.
#define KUTRACE_TRY(expression)                                                             \
  do {                                                                                      \
    auto kutrace_try_result = (expression);                                                 \
    if (!kutrace_try_result) return ::kutrace::fail(std::move(kutrace_try_result).error()); \
  } while (false)

#define KUTRACE_CONCAT_(a, b) a##b
#define KUTRACE_CONCAT(a, b) KUTRACE_CONCAT_(a, b)

// KUTRACE_ASSIGN(auto x, f()) declares x as f()'s value or leaves the function with its error.
#define KUTRACE_ASSIGN(declaration, expression)                                           \
  auto KUTRACE_CONCAT(kutrace_result_, __LINE__) = (expression);                          \
  if (!KUTRACE_CONCAT(kutrace_result_, __LINE__))                                         \
    return ::kutrace::fail(std::move(KUTRACE_CONCAT(kutrace_result_, __LINE__)).error()); \
  declaration = std::move(*KUTRACE_CONCAT(kutrace_result_, __LINE__))
