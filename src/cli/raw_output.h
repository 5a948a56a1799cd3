// SPDX-License-Identifier: BSD-3-Clause
// Raw traces to a file, with a progress bar. In: what makes the blocks; out: a whole file under its
// name, or the reason why there is none.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"
#include "raw/raw_cut.h"

namespace kutrace::cli {

using MakeRaw = std::function<Result<raw::RawSummary>(const raw::RawOutput&)>;

// `blocks` is about how many there will be.
Result<raw::RawSummary> write_raw_file(const std::string& path, std::size_t blocks,
                                       const MakeRaw& make);

// Why spans, which a page or JSON holds, are not written as a raw trace.
Error spans_are_not_raw();

}  // namespace kutrace::cli
