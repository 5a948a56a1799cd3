// SPDX-License-Identifier: BSD-3-Clause
// Which group of events an entry is of: what `record --events` switches.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "format/event_groups.h"

namespace kutrace {

// `argument` tells one moment with numbers from another. kAlways: of no group.
EventGroup group_of_entry(EventNum number, std::uint32_t argument);

}  // namespace kutrace
