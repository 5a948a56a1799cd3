// SPDX-License-Identifier: BSD-3-Clause
// The forms of traces that can be read.
#pragma once

#include <string_view>

#include "read/form/trace_form.h"

namespace kutrace::read {

// The first one that takes these bytes for its own; null: none does.
const TraceForm* find_form(std::string_view bytes);

}  // namespace kutrace::read
