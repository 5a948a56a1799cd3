// SPDX-License-Identifier: BSD-3-Clause
// A profile as spans, so that a page shows it: each row's cells laid end to end from time 0, what
// executed first, then what was waited for, then idle. In: rows; out: spans, and the facts of a
// trace that holds nothing else.
#pragma once

#include <vector>

#include "reports/profile.h"

namespace kutrace::reports {

// Rows of CPUs keep their numbers; every other row is a thread on a CPU of its own.
TraceInfo lay_out_profile(const std::vector<ProfileRow>& rows, const TraceInfo& of,
                          NameTable& names, SpanSink& sink);

}  // namespace kutrace::reports
