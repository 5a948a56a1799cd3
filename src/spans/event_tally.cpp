// SPDX-License-Identifier: BSD-3-Clause
// Counts and names of event numbers.
#include "spans/event_tally.h"

#include <string>

#include "format/event_table.h"

namespace kutrace::spans {

namespace {

std::string name_of(EventNum event, NameBook& book, const NameTable& names) {
  if (event_class(event) == EventClass::kName) return std::string(kind_name(name_kind(event)));
  if (!is_call(event) && !is_return(event)) return std::string(point_name(event));
  const EventNum call = event & ~ev::kReturnBit;
  const std::string name = call == ev::kBottomHalf ? "BH" : names.text(book.call(call, 0));
  return is_return(event) ? "/" + name : name;
}

}  // namespace

void EventTally::finish(NameBook& book, const NameTable& names, TraceInfo& info) const {
  info.entries = entries_;
  info.events = events_;
  for (EventNum event = 0; event < by_event_.size(); ++event) {
    if (by_event_[event] == 0) continue;
    info.by_event[static_cast<std::uint16_t>(event)] = by_event_[event];
    info.event_names[event] = name_of(event, book, names);
  }
}

}  // namespace kutrace::spans
