// SPDX-License-Identifier: BSD-3-Clause
// Text for a field of so many bytes, which end with a zero. In: text of unknown origin; out: as
// much of it as fits, in whole characters of UTF-8 that can be shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kutrace::emit {

std::string fitting_text(std::string_view text, std::size_t field);

}  // namespace kutrace::emit
