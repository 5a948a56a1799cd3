// SPDX-License-Identifier: BSD-3-Clause
// The hooks of the sources on this architecture: which group each belongs to, and what is not seen
// without it.
#pragma once

#include <span>
#include <string_view>

#include "format/event_groups.h"

namespace kutrace::record {

struct Hook {
  std::string_view name;  // of the tracepoint, or of what is no tracepoint
  EventGroup group;
  std::string_view shows;        // what is lost without it; empty for the second hook of a pair
  std::string_view shared = {};  // the BPF program that several hooks have

  // Its function in src/record/ebpf/bpf/.
  std::string_view program() const { return shared.empty() ? name : shared; }
};

std::span<const Hook> all_hooks();
const Hook* find_hook(std::string_view name);

}  // namespace kutrace::record
