// SPDX-License-Identifier: BSD-3-Clause
// Asks the kernel's own list.
#include "record/proc/online_cpus.h"

#include "base/number_list.h"
#include "files/small_file.h"

namespace kutrace::record {

std::vector<CpuId> online_cpus() {
  std::vector<CpuId> cpus = parse_cpu_list(files::read_line("/sys/devices/system/cpu/online"));
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

}  // namespace kutrace::record
