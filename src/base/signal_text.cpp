// SPDX-License-Identifier: BSD-3-Clause
// The names of the C library.
#include "base/signal_text.h"

#include <fmt/format.h>

#include <cstring>

namespace kutrace {

std::string signal_text(int number) {
  const char* const name = sigabbrev_np(number);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

}  // namespace kutrace
