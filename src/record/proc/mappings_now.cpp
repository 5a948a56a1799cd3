// SPDX-License-Identifier: BSD-3-Clause
// Process by process.
#include "record/proc/mappings_now.h"

#include <fmt/format.h>

#include <utility>

#include "files/small_file.h"
#include "record/proc/proc_folder.h"

namespace kutrace::record {

void each_mapping_now(const std::function<void(Pid, ProcMapping)>& take) {
  for (const Pid process : numbers_in("/proc")) {
    parse_proc_maps(files::read_text(fmt::format("/proc/{}/maps", process)),
                    [&](ProcMapping mapping) { take(process, std::move(mapping)); });
  }
}

}  // namespace kutrace::record
