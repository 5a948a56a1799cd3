// SPDX-License-Identifier: BSD-3-Clause
// Of which system calls all arguments are recorded, and what they point to. In: what was asked for;
// out: numbers of calls of this machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kutrace/abi.h"

namespace kutrace::record {

struct CallChoice {
  std::vector<std::uint32_t> calls;  // numbers, in order; none: arguments are not recorded
  std::uint32_t string_bytes = 0;    // most of a buffer; 0: nothing that they point to

  bool is_set() const { return !calls.empty(); }
};

constexpr std::uint32_t kMostStringBytes = 280;  // five entries
constexpr std::uint32_t kUsualStringBytes = 32;  // as strace shows

// The machine whose calls and arguments are chosen.
constexpr std::string_view kArgumentsMachine = "x86_64";

// `names`: of calls, with * and ?, or of groups: file, desc, net, process, memory, signal. None:
// all.
Result<std::vector<std::uint32_t>> choose_calls(const std::vector<std::string>& names);

// Whether this machine is the one whose calls were chosen, if any were.
Status check_arguments_known(const CallChoice& choice);

}  // namespace kutrace::record
