// SPDX-License-Identifier: BSD-3-Clause
// What somebody may have meant by a word that is no name. In: the word and all names; out: the
// nearest name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kutrace {

// The name that becomes `word` with the fewest changed letters; empty if that takes more than two,
// or as many as `word` has.
std::string_view nearest(std::string_view word, std::span<const std::string_view> names);

// A hint: "did you mean NAME? " if one is near, and what helps otherwise.
std::string meant_or(std::string_view word, std::span<const std::string_view> names,
                     std::string_view otherwise);

}  // namespace kutrace
