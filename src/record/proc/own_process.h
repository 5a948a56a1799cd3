// SPDX-License-Identifier: BSD-3-Clause
// Whose a process is, as the owner of its folder in /proc says: root's, if it runs with other
// rights than its user has.
#pragma once

#include "base/units.h"

namespace kutrace::record {

// Of this process's user.
bool is_own_process(Pid process);

}  // namespace kutrace::record
