// SPDX-License-Identifier: BSD-3-Clause
// What stands before the events: lines of `perf script --header`, and of ftrace's files how many
// events the buffers did not keep.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kutrace::read {

struct TextHeader {
  std::string machine;  // as uname has it
  std::string host;
  std::string release;
  bool is_monotonic = false;
  std::uint64_t overwritten = 0;  // events before the first one

  // A line that begins with '#'.
  void add(std::string_view line);
};

}  // namespace kutrace::read
