// SPDX-License-Identifier: BSD-3-Clause
// Whose doings are recorded: the threads of some processes, of a user, or those of which both is
// true; empty: everybody's. include/kutrace/control.h says what is left out of all others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kutrace::record {

struct ThreadFilter {
  std::vector<std::uint32_t> processes;
  std::optional<std::uint32_t> user;

  bool is_set() const { return !processes.empty() || user.has_value(); }
  // As the trace has it: "processes 12,13; user 1000".
  std::string text() const;
};

// A user by name or number.
Result<std::uint32_t> user_number(const std::string& text);
// At most as many processes as a source takes, and each of them exists.
Status check_filter(const ThreadFilter& filter);

// What a filtered trace does not show.
constexpr const char* kLeftOutByFilter =
    "what threads outside the filter do: their own time is shown as hidden";

}  // namespace kutrace::record
