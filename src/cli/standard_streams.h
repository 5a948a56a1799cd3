// SPDX-License-Identifier: BSD-3-Clause
// Standard input, output and error of a process that was started without some of them.
#pragma once

namespace kutrace::cli {

// No file that is opened later gets one of their numbers: messages would end up in it. What was
// closed cannot be read or written; messages vanish.
void hold_standard_streams();

}  // namespace kutrace::cli
