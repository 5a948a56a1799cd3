// SPDX-License-Identifier: BSD-3-Clause
// Records of processes and the texts of PROCESS entries (doc/trace-format.md). In: a record; out:
// its text; and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace kutrace {

// What a descriptor of a process stood for when it was looked at.
struct DescriptorRecord {
  static constexpr std::int32_t kFolder = -100;  // AT_FDCWD: the folder that the process is in

  Pid process = 0;
  Ticks at = 0;             // counter
  std::int32_t number = 0;  // or kFolder
  bool close_on_exec = false;
  std::string name;  // a path, or as strace -yy: "pipe:[812]", "TCP:[127.0.0.1:80->127.0.0.1:5123]"

  bool operator==(const DescriptorRecord&) const = default;
};

struct CgroupRecord {
  Pid process = 0;
  Ticks at = 0;
  std::string path;  // from the root of the hierarchy

  bool operator==(const CgroupRecord&) const = default;
};

std::string record_text(const DescriptorRecord& descriptor);
std::string record_text(const CgroupRecord& cgroup);

// Nothing if the text has another form.
std::optional<DescriptorRecord> parse_descriptor_record(std::string_view text);
std::optional<CgroupRecord> parse_cgroup_record(std::string_view text);

}  // namespace kutrace
