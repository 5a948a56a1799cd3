// SPDX-License-Identifier: BSD-3-Clause
// Small calls on files that recording and the commands share. In: paths and bytes; out: descriptors
// or errno.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kutrace::files {

// Writes all of it, however many calls that takes; 0 or the errno of the call that failed.
int write_all(int descriptor, std::string_view bytes);

// Whether the path leads to something that is neither a file nor to become one: a device, a pipe.
bool is_special(const std::string& path);

// $TMPDIR or /var/tmp: what is put there may be large.
std::string temporary_folder();

// For what found no room where it was to go: saves it under a new name that ends in `name`, in
// temporary_folder() or, if that fails, in /tmp. Returns the path, or the last error.
Result<std::string> save_somewhere(const std::string& name,
                                   const std::function<Status(const std::string& path)>& save);

// Opens a file without a name, which is gone with its descriptor.
Result<int> nameless_file(const std::string& folder);

}  // namespace kutrace::files
