// SPDX-License-Identifier: BSD-3-Clause
// Of a word that is no name: the name that may have been meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kutrace {

// The name that needs the fewest changed letters to become `word`; empty if more than two are
// needed, or as many as the word is long.
std::string_view nearest(std::string_view word, std::span<const std::string_view> names);

// A hint: "did you mean NAME? " if one is near, and what helps otherwise.
std::string meant_or(std::string_view word, std::span<const std::string_view> names,
                     std::string_view otherwise);

}  // namespace kutrace
