// SPDX-License-Identifier: BSD-3-Clause
// Texts of the fact `unseen`, a kind of event that a source does not show.
#pragma once

#include <string_view>

namespace kutrace {

// Ends the text of a kind whose group was not asked for; all others, nobody could have asked for.
inline constexpr std::string_view kSwitchedOff = " (switched off)";
// Ends that of a kind which was asked for, and which the daemon may not show.
inline constexpr std::string_view kNotAllowed = " (the daemon's configuration leaves it out)";

}  // namespace kutrace
