// SPDX-License-Identifier: BSD-3-Clause
// The kernel's tracepoints that become something: by name, with the fields that are read of each.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "read/import/kernel_event.h"

namespace kutrace::read {

// Instead of a field's name: all that stand behind the first one.
inline constexpr std::string_view kFieldsBehind = "*";

struct Tracepoint {
  std::string_view name;
  What what;
  std::array<std::string_view, 3> numbers = {};  // fields; empty: none
  std::array<std::string_view, 2> texts = {};
};

// The row of an event; null: it is not used. Of system calls that are recorded one by one
// (sys_enter_read) it is the same for all.
const Tracepoint* find_tracepoint(std::string_view name);

// Which of the numbers of such an event are threads, as its fields' names say: bit n is number n.
unsigned thread_numbers(What what);

// What is missing where a file has no such events, with the group that they belong to.
struct Told {
  What what;
  std::string_view group;
  std::string_view missed;  // empty: its begin or its like says it
};

std::span<const Told> what_is_told();

}  // namespace kutrace::read
