// SPDX-License-Identifier: BSD-3-Clause
// Reading of the kernel's CPU lists.
#include "device/cpu_list.h"

#include <fstream>
#include <sstream>

namespace kutrace {

std::vector<CpuId> parse_cpu_list(const std::string& text) {
  std::vector<CpuId> cpus;
  std::istringstream in(text);
  CpuId first = 0;
  while (in >> first) {
    CpuId last = first;
    if (in.peek() == '-') {
      in.ignore();
      in >> last;
    }
    for (CpuId cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (in.peek() != ',') break;
    in.ignore();
  }
  return cpus;
}

std::vector<CpuId> online_cpus() {
  std::ifstream in("/sys/devices/system/cpu/online");
  std::string text;
  std::getline(in, text);
  std::vector<CpuId> cpus = parse_cpu_list(text);
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

}  // namespace kutrace
