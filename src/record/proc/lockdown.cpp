// SPDX-License-Identifier: BSD-3-Clause
// Reads /sys/kernel/security/lockdown, which has the mode in brackets among the others.
#include "record/proc/lockdown.h"

#include <fstream>

namespace kutrace::record {

std::string lockdown_mode() {
  std::ifstream in("/sys/kernel/security/lockdown");
  std::string text;
  if (!std::getline(in, text)) return "off";
  const std::size_t begin = text.find('[');
  const std::size_t end = text.find(']');
  if (begin == std::string::npos || end == std::string::npos) return "off";
  return text.substr(begin + 1, end - begin - 1);
}

}  // namespace kutrace::record
