// SPDX-License-Identifier: BSD-3-Clause
// The files that programs write for perf about code they made at run time. In: the number of a
// process; out: the text of its perf-PID.map, or why none can be used.
#pragma once

#include <string>

#include "base/result.h"
#include "base/units.h"

namespace kutrace::cli {

// Of perf's own folder, /tmp, where anybody may write: only files of root, of this user or of the
// one who became root by sudo. Of a `folder` that was named: any file.
Result<std::string> made_code_of(Pid process, const std::string& folder);

}  // namespace kutrace::cli
