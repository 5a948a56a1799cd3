// SPDX-License-Identifier: BSD-3-Clause
// Breaks text at its blanks. In: text, how wide lines may be; out: lines.
#pragma once

#include <cstddef>
#include <string_view>

#include "emit/text/text_sink.h"

namespace kutrace::emit {

// Of text that is meant to be read, not of tables.
constexpr std::size_t kTextWidth = 100;

// Lines of at most `width` characters, each behind `indent` blanks; a longer word has its own.
void wrapped(std::string_view text, std::size_t indent, std::size_t width, const LineSink& line);

}  // namespace kutrace::emit
