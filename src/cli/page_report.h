// SPDX-License-Identifier: BSD-3-Clause
// A trace as a page, or as a container. In: the trace, what of it is asked for, what the page shows
// at first; out: the file, whole or not at all. A page of more spans than a browser opens is
// coarsened, and a message says so.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

// Pages of 120 million spans were opened; beyond that browsers were not seen to.
constexpr std::uint64_t kMostPageSpans = 150'000'000;

struct PageRequest {
  std::string output{};  // - is standard output; FILE.kux: a container
  std::string title{};   // empty: the recorded one, or the command
  std::uint64_t max_spans = kMostPageSpans;
  std::string coarsen = "auto";  // or never, or a resolution
  bool hide_command = false;
  std::string saved{};  // what it shows at first (emit/page/page_view.h); empty: all of the trace
};

Status write_page_of(const read::TraceInput& input, const PageRequest& request);

}  // namespace kutrace::cli
