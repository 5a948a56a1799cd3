// SPDX-License-Identifier: BSD-3-Clause
// Removes a folder that holds files alone. In: its name in another folder; out: gone, unless it is
// no folder, or holds folders. May be called in a signal handler.
#pragma once

namespace kutrace::files {

void remove_flat_folder(int parent, const char* name);

}  // namespace kutrace::files
