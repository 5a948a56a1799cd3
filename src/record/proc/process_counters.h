// SPDX-License-Identifier: BSD-3-Clause
// Memory and page faults of processes, as /proc/PID/stat shows them: of those that are chosen or,
// where none are, of the most active ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/proc/measured.h"

namespace kutrace::record {

struct ProcessStat {
  std::uint64_t started = 0;  // ticks after the machine did
  std::int64_t faults = 0;    // that needed no disk, of its threads
  std::int64_t major_faults = 0;
  std::int64_t resident = 0;  // pages
};

// The text of /proc/PID/stat; nothing if it is none, or of a thread of the kernel.
std::optional<ProcessStat> parse_process_stat(const std::string& text);

class ProcessCounters {
 public:
  // So many are read where nobody named them.
  static constexpr std::size_t kMost = 16;

  struct Choice {
    std::vector<Pid> processes;         // none: any
    std::optional<std::uint32_t> user;  // whose real one this is
  };
  explicit ProcessCounters(Choice choice) : choice_(std::move(choice)) {}

  // It is read besides.
  void follow(Pid process) { followed_ = process; }
  // Looks at all processes and, of those that are wanted and not named, chooses kMost: half of them
  // by page faults since the last time, the others by resident memory.
  void choose();
  // Appends to `to`.
  void read(std::vector<Measured>& to) const;

 private:
  bool is_wanted(Pid process) const;

  const Choice choice_;
  std::optional<Pid> followed_;
  std::map<Pid, std::int64_t> faults_;  // when it was chosen last
  std::vector<Pid> chosen_;
};

}  // namespace kutrace::record
