// SPDX-License-Identifier: BSD-3-Clause
// Events by their table; names and numbers by what they are about.
#include "format/entry_group.h"

#include "format/event_table.h"

namespace kutrace {

EventGroup group_of_entry(EventNum number, std::uint32_t argument) {
  if (event_class(number) != EventClass::kName) return group_of(number);
  switch (name_kind(number)) {
    case kind::kPOINT:
      return group_of(static_cast<EventNum>(argument));
    case kind::kARGUMENTS:
    case kind::kWIDE:
    case kind::kCALL_DATA:
    case kind::kFUNCTION:
    case kind::kMETHOD_NAME:
    case kind::kLOCK_NAME:
    case kind::kQUEUE_NAME:
    case kind::kRESOURCE_NAME:
    case kind::kFILE_NAME:
      return EventGroup::kSyscalls;
    case kind::kPACKET_NAME:
      return EventGroup::kNet;
    default:
      return EventGroup::kAlways;
  }
}

}  // namespace kutrace
