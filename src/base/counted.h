// SPDX-License-Identifier: BSD-3-Clause
// A number with its noun. In: a number, the noun's singular and plural; out: "1 entry", "12,345
// entries".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"

namespace kutrace {

inline std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return grouped(number).append(" ").append(number == 1 ? one : many);
}

}  // namespace kutrace
