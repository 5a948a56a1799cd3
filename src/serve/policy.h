// SPDX-License-Identifier: BSD-3-Clause
// What the administrator allows readers of the daemon who are not root. In: the text of
// /etc/kutrace.conf (kutrace-daemon(1) describes it); out: limits, or what is wrong in which line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "format/event_groups.h"

namespace kutrace::serve {

constexpr const char* kPolicyFile = "/etc/kutrace.conf";

struct Policy {
  bool users = true;              // may look at their own processes
  std::string group = "kutrace";  // whose members see everybody's
  EventGroups groups;             // that may be asked for; at first all
  bool arguments = false;         // of system calls are recorded at all, for root, too
  std::uint32_t string_bytes = 0;
  std::uint32_t sample_hz = 100;
  std::uint64_t memory = 16u << 20;  // bytes that wait for one reader
  std::uint64_t rate = 0;            // entries a second for one reader; 0: no limit
  Ns duration = 0;                   // of one reading; 0: no limit

  Policy();
};

// `name` of the file, for errors.
Result<Policy> parse_policy(std::string_view text, const std::string& name);

// Of kPolicyFile, which need not be there.
Result<Policy> read_policy();
// One that was named has to be there.
Result<Policy> read_policy(const std::string& path);

}  // namespace kutrace::serve
