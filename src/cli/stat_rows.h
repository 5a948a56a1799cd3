// SPDX-License-Identifier: BSD-3-Clause
// Words of `kutrace stat` that hold for rows of threads and of requests. In: words of --by and
// --sort; out: what they mean.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "format/container_name.h"
#include "reports/stat_groups.h"
#include "reports/wait_times.h"

namespace kutrace::cli {

// Rows of threads and what they belong to; a word that is none of these means CPUs.
inline reports::StatBy stat_by(const std::string& name) {
  if (name == "thread") return reports::StatBy::kThread;
  if (name == "process") return reports::StatBy::kProcess;
  if (name == "cgroup") return reports::StatBy::kCgroup;
  if (name == "container") return reports::StatBy::kContainer;
  if (name == "pod") return reports::StatBy::kPod;
  return name == "program" ? reports::StatBy::kProgram : reports::StatBy::kCpu;
}

// Whether rows of one of these words are of control groups.
inline bool tells_groups(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const auto& word) { return cgroup_part(word).has_value(); });
}

// By what all sums can be sorted; a word that is none of these means execution.
template <typename Sums>
Ns shared_weight(const Sums& sums, const std::string& sort) {
  if (sort == "ready") return reports::wait_of(sums.waits, reports::kReady);
  if (sort == "blocked") return sums.blocked();
  if (sort == "faults") return static_cast<Ns>(sums.faults);
  if (sort == "syscalls") return static_cast<Ns>(sums.syscalls);
  return sums.executing();
}

}  // namespace kutrace::cli
