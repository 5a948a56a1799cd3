// SPDX-License-Identifier: BSD-3-Clause
// Executable memory of processes. In: the text of /proc/PID/maps; out: mappings and the files
// behind them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace kutrace {

struct ProcMapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;  // of `start` in the file
  std::uint64_t device = 0;  // major << 32 | minor
  std::uint64_t inode = 0;
  std::string path;      // [vdso]; empty: no file
  bool deleted = false;  // the file has lost this name
};

// Calls `found` for each executable mapping, in the order of the text. Lines of another form are
// ignored.
void parse_proc_maps(std::string_view text, const std::function<void(ProcMapping)>& found);

// The same for several such texts, each behind a line "==== /proc/PID/maps", as KUtrace's tools
// take them.
void parse_proc_maps_of_all(std::string_view text,
                            const std::function<void(Pid, ProcMapping)>& found);

}  // namespace kutrace
