// SPDX-License-Identifier: BSD-3-Clause
// Texts among the first entries of a raw trace. In: its layout; out: the texts of one kind of
// entry, in order of serial numbers.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace kutrace::timeline {

struct TraceLayout;

std::vector<std::string> preamble_texts(const TraceLayout& layout, EventNum kind);

}  // namespace kutrace::timeline
