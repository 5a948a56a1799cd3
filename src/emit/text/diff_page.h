// SPDX-License-Identifier: BSD-3-Clause
// What changed between two recordings, as an HTML page: both sides side by side in every row, with
// the durations of both drawn over each other. In: rows; out: lines. It holds no script and loads
// nothing.
#pragma once

#include <string>
#include <vector>

#include "emit/text/diff_text.h"

namespace kutrace::emit {

// Where the sides' own pages are, as links from this one; empty: they have none.
struct DiffLinks {
  std::string before;
  std::string after;
};

void diff_page(const std::vector<reports::DiffRow>& rows, const DiffTold& told,
               const DiffLinks& links, const LineSink& line);

}  // namespace kutrace::emit
