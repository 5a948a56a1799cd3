// SPDX-License-Identifier: BSD-3-Clause
// The state of the machine as a whole: pressure, load, lines of the kernel's log. In: looks; out:
// numbers, and lines that are new.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"

namespace kutrace::record {

class MachineWatch {
 public:
  // `with_log`: lines from now on.
  static Result<MachineWatch> open(bool with_log);

  // Percent of the last ten seconds in which some task waited for it: cpu, memory, io.
  std::optional<double> pressure(const std::string& resource) const;
  // Of the last minute.
  std::optional<double> load() const;
  // Whether what is known by this name is true now and was not when it was asked last. The first
  // time, nothing has risen.
  bool has_risen(const std::string& name, bool is_true);
  // The kernel's log, up to now.
  void read_log();
  // Lines that were read of it and fit a shell pattern.
  std::vector<std::string> log_lines(const std::string& pattern) const;
  // How many were overwritten before they were read, since this was asked last.
  std::uint64_t take_missed_lines() { return std::exchange(missed_lines_, 0); }
  // They are new no more.
  void forget_log() { lines_.clear(); }

 private:
  // The next one of the kernel's log; nothing: there is none yet.
  std::optional<std::string> next_record();

  files::Descriptor log_;
  std::vector<std::string> lines_;
  std::optional<std::uint64_t> last_record_;  // by its number
  std::uint64_t missed_lines_ = 0;
  std::map<std::string, bool> was_true_;
};

// The text of a record of /dev/kmsg: what follows its first semicolon, of its first line. Empty:
// it is not the kernel's.
std::string kernel_log_text(const std::string& record);
// Its number: records of all who write there are numbered without a gap.
std::optional<std::uint64_t> kernel_log_number(const std::string& record);

}  // namespace kutrace::record
