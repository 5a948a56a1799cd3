// SPDX-License-Identifier: BSD-3-Clause
// Which group of events (`record --events`) an entry belongs to.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "format/event_groups.h"

namespace kutrace {

// `argument` tells moments with numbers apart, which share one event number. kAlways: it belongs to
// no group.
EventGroup group_of_entry(EventNum number, std::uint32_t argument);

}  // namespace kutrace
