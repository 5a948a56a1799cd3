// SPDX-License-Identifier: BSD-3-Clause
// What is known of a trace, as rows of text. In: its TraceInfo; out: pairs of key and value. Keys
// may repeat. Readings of counters are left out: they are tables of their own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/trace_info.h"

namespace kutrace {

std::vector<std::pair<std::string, std::string>> metadata(const TraceInfo& info);

}  // namespace kutrace
