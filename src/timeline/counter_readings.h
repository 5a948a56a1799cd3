// SPDX-License-Identifier: BSD-3-Clause
// What a raw trace says of counters: its COUNTER entries as records, whose times are counters.
#pragma once

#include "format/counter_records.h"

namespace kutrace::timeline {

struct TraceLayout;

CounterRecords recorded_counters(const TraceLayout& layout);

}  // namespace kutrace::timeline
