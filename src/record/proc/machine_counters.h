// SPDX-License-Identifier: BSD-3-Clause
// Counters of the whole machine, as /proc and /sys show them: memory, paging, the scheduler,
// pressure, steal time, frequencies, temperatures. What this machine does not have is left out.
#pragma once

#include <string>
#include <vector>

#include "record/proc/measured.h"

namespace kutrace::record {

class MachineCounters {
 public:
  // Looks for frequencies and temperatures.
  MachineCounters();
  // Appends to `to`.
  void read(std::vector<Measured>& to) const;

 private:
  struct File {
    std::string path;  // holds one number
    std::string name;
    std::string_view unit;
    std::int64_t scale;
  };
  std::vector<File> files_;
};

// Of the texts of these files; a tick of /proc/stat is 1/`hertz` s.
void read_meminfo(const std::string& text, std::vector<Measured>& to);
void read_vmstat(const std::string& text, std::int64_t page_bytes, std::vector<Measured>& to);
void read_stat(const std::string& text, std::int64_t hertz, std::vector<Measured>& to);
// `resource`: cpu, memory, io, irq.
void read_pressure(const std::string& text, const std::string& resource, std::vector<Measured>& to);

}  // namespace kutrace::record
