// SPDX-License-Identifier: BSD-3-Clause
// Raw traces to a file, see raw_output.h.
#include "cli/raw_output.h"

#include <algorithm>

#include "cli/output_file.h"
#include "cli/progress.h"

namespace kutrace::cli {

Result<raw::RawSummary> write_raw_file(const std::string& path, std::size_t blocks,
                                       const MakeRaw& make) {
  KUTRACE_ASSIGN(OutputFile out, OutputFile::create(path));
  Progress bar;
  std::size_t done = 0;
  const auto expected = static_cast<double>(std::max<std::size_t>(1, blocks));
  // Each piece is about one block, and there are at most about as many as there were.
  Result<raw::RawSummary> written = make([&](std::string_view bytes) {
    bar.show(static_cast<double>(++done) / expected);
    return out.write(bytes);
  });
  // A full disk is told by the file, which knows the reason.
  if (!written && written.error().kind != ErrorKind::kOutput) return fail(written.error());
  KUTRACE_TRY(out.finish());
  return written;
}

Error spans_are_not_raw() {
  return usage_error("spans do not become a raw trace").with_hint("name the output .json or .html");
}

}  // namespace kutrace::cli
