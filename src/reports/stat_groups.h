// SPDX-License-Identifier: BSD-3-Clause
// Which row of a table a thread belongs to. In: a thread, and what rows are of; out: what the
// threads of one row have in common, what the row is called, and its number.
#pragma once

#include <cstdint>
#include <string>

#include "model/trace_info.h"
#include "reports/thread_names.h"

namespace kutrace::reports {

// A row of kProgram, kCgroup, kContainer or kPod is of many processes: its number says of how many
// threads.
enum class StatBy : std::uint8_t {
  kCpu,
  kThread,
  kProcess,
  kProgram,
  kCgroup,
  kContainer,
  kPod,
  kInterval
};

constexpr bool counts_threads(StatBy by) {
  return by == StatBy::kProgram || by == StatBy::kCgroup || by == StatBy::kContainer ||
         by == StatBy::kPod;
}

struct StatGroup {
  // Threads and processes that had one number in turn may have one name, and yet a key each.
  std::string key;
  std::string name;     // "server.12", "server"
  std::int64_t id = 0;  // thread, process; where rows count threads: 1, or 0 of what is none
};

StatGroup group_of(const ThreadNames& who, std::uint32_t thread, StatBy by, const TraceInfo& info);

}  // namespace kutrace::reports
