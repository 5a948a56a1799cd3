// SPDX-License-Identifier: BSD-3-Clause
// Parts in their fixed order.
#include "read/import/tracing_data.h"

#include <string_view>

namespace kutrace::read {

void read_formats(ByteCursor& at, RawEvents& events) {
  for (std::uint32_t left = at.u32(); left > 0 && !at.failed(); --left)
    events.add(at.text(at.u64()));
}

void read_systems(ByteCursor& at, RawEvents& events) {
  for (std::uint32_t left = at.u32(); left > 0 && !at.failed(); --left) {
    at.text_to_nul();
    read_formats(at, events);
  }
}

bool read_tracing_data(ByteCursor& at, RawEvents& events) {
  for (const std::string_view part : {"header_page", "header_event"}) {
    if (at.text_to_nul() != part) return false;
    at.take(at.u64());
  }
  read_formats(at, events);
  read_systems(at, events);
  at.take(at.u32());  // addresses of functions
  at.take(at.u32());  // formats of trace_printk
  return !at.failed();
}

}  // namespace kutrace::read
