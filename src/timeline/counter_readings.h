// SPDX-License-Identifier: BSD-3-Clause
// What a raw trace knows of counters. In: the COUNTER entries of its preamble; out: records, their
// times still counters of the trace.
#pragma once

#include "format/counter_records.h"

namespace kutrace::timeline {

struct TraceLayout;

CounterRecords recorded_counters(const TraceLayout& layout);

}  // namespace kutrace::timeline
