// SPDX-License-Identifier: BSD-3-Clause
// "ffffffff82a1b2c0 D name", and behind it the module that has it.
#include "record/proc/kernel_addresses.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "base/number_text.h"

namespace kutrace::record {

std::vector<std::uint64_t> addresses_in(std::istream& symbols,
                                        const std::vector<std::string_view>& names) {
  std::vector<std::uint64_t> addresses(names.size());
  std::size_t missing = names.size();
  for (std::string line; missing != 0 && std::getline(symbols, line);) {
    const std::size_t type = line.find(' ');
    const std::size_t name = type == std::string::npos ? type : line.find(' ', type + 1);
    if (name == std::string::npos) continue;
    const auto found = std::ranges::find(names, std::string_view(line).substr(name + 1));
    if (found == names.end()) continue;
    const auto address = parse_number<std::uint64_t>(line.substr(0, type), 16);
    addresses[static_cast<std::size_t>(found - names.begin())] = address.value_or(0);
    --missing;
  }
  return addresses;
}

std::vector<std::uint64_t> kernel_addresses(const std::vector<std::string_view>& names) {
  std::ifstream symbols("/proc/kallsyms");
  return addresses_in(symbols, names);
}

}  // namespace kutrace::record
