// SPDX-License-Identifier: BSD-3-Clause
// How tracefs describes its events, as trace-cmd and perf copy it into their files. In: a cursor
// that stands before it; out: the events' formats.
#pragma once

#include "read/import/byte_cursor.h"
#include "read/import/raw_events.h"

namespace kutrace::read {

// u32 count, then u64 length and text of each format.
void read_formats(ByteCursor& at, RawEvents& events);
// u32 count, then the name and the formats of each system of events.
void read_systems(ByteCursor& at, RawEvents& events);
// All from the format of a page to what trace_printk prints; false: it is cut or something else.
bool read_tracing_data(ByteCursor& at, RawEvents& events);

}  // namespace kutrace::read
