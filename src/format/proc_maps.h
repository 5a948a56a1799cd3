// SPDX-License-Identifier: BSD-3-Clause
// Texts of /proc/PID/maps: lines in, executable memory and the files behind it out.
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

// The executable mappings of such a text, in its order. Lines that are none are passed over.
void parse_proc_maps(std::string_view text, const std::function<void(ProcMapping)>& found);

// Several such texts, each after a line "==== /proc/PID/maps", as KUtrace's tools take them.
void parse_proc_maps_of_all(std::string_view text,
                            const std::function<void(Pid, ProcMapping)>& found);

}  // namespace kutrace
