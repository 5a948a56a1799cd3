// SPDX-License-Identifier: BSD-3-Clause
// The sum of lost entries. In: two numbers, either of which may be KUTRACE_LOSS_UNKNOWN_COUNT; out:
// their sum, which is not known if one of them is not.
#pragma once

#include <cstdint>

#include "kutrace/abi.h"

namespace kutrace {

constexpr std::uint64_t add_lost(std::uint64_t some, std::uint64_t more) {
  const bool is_known = some != KUTRACE_LOSS_UNKNOWN_COUNT && more != KUTRACE_LOSS_UNKNOWN_COUNT;
  return is_known ? some + more : KUTRACE_LOSS_UNKNOWN_COUNT;
}

}  // namespace kutrace
