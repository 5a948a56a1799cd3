// SPDX-License-Identifier: BSD-3-Clause
// The programs of the BPF object: which group each belongs to, and what is not seen without it.
#pragma once

#include <span>
#include <string_view>

#include "record/source/event_groups.h"

namespace kutrace::record {

struct Hook {
  std::string_view program;  // its function in src/record/ebpf/bpf/
  EventGroup group;
  std::string_view shows;  // what is lost without it; empty for the second hook of a pair
};

std::span<const Hook> all_hooks();
const Hook* find_hook(std::string_view program);

}  // namespace kutrace::record
