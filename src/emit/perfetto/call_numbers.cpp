// SPDX-License-Identifier: BSD-3-Clause
// Tables of calls, compared.
#include "emit/perfetto/call_numbers.h"

#include <algorithm>
#include <array>

#include "format/syscall_names.h"

namespace kutrace::emit {

namespace {

constexpr std::array<std::string_view, 2> kMachines = {"x86_64", "aarch64"};

bool numbers(std::string_view machine, unsigned number, std::string_view name) {
  return std::ranges::any_of(syscall_names(machine), [&](const NumberedName& known) {
    return known.number == number && known.name == name;
  });
}

}  // namespace

bool CallNumbers::has(unsigned number, std::string_view name) {
  if (machine_.empty()) {
    const auto does = [&](std::string_view machine) { return numbers(machine, number, name); };
    // Newer calls have one number everywhere, which tells no machine.
    if (std::ranges::count_if(kMachines, does) != 1) return false;
    machine_ = *std::ranges::find_if(kMachines, does);
    for (const auto& [known, text] : syscall_names(machine_)) {
      if (known >= names_.size()) names_.resize(known + std::size_t{1});
      names_[known] = text;
    }
  }
  return number < names_.size() && names_[number] == name;
}

}  // namespace kutrace::emit
