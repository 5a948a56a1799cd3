// SPDX-License-Identifier: BSD-3-Clause
// Takes from this process what it does not need to record for others, for good: new privileges, all
// capabilities but those to record, and all calls of the kernel that it has no use for, among them
// those that make sockets, start programs, or look into processes.
#pragma once

#include "base/result.h"

namespace kutrace::serve {

// To be called before there is a second thread, when the socket is open.
Status confine_this_process();

}  // namespace kutrace::serve
