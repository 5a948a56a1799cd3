// SPDX-License-Identifier: BSD-3-Clause
// Version and the features that this binary was built with.
#include "cli/version.h"

#include <fmt/format.h>

namespace kutrace::cli {

std::string version_text() {
  return fmt::format(
      "kutrace {}\n  ebpf recorder: {}\n  viewer page: {}\n  symbols of programs: {}\n  SQL: {}\n  "
      "line editing: {}\n  screen of top: {}",
      KUTRACE_VERSION, KUTRACE_FEATURE_EBPF, KUTRACE_FEATURE_PAGE, KUTRACE_FEATURE_SYMBOLS,
      KUTRACE_FEATURE_SQL, KUTRACE_FEATURE_LINE_EDITOR, KUTRACE_FEATURE_SCREEN);
}

}  // namespace kutrace::cli
