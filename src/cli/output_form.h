// SPDX-License-Identifier: BSD-3-Clause
// The forms that outputs can have. In: the name of a file; out: the form that its suffix asks for.
// Every command that writes asks here, so that a suffix means the same to all of them.
#pragma once

#include <string>

namespace kutrace::cli {

enum class OutputForm {
  kText,       // any other name, and standard output
  kRaw,        // .raw, .trace
  kSpanJson,   // .json
  kPage,       // .html
  kContainer,  // .kux: a page's data without its viewer
  kCsv,        // .csv
};

OutputForm form_of_output(const std::string& path);

}  // namespace kutrace::cli
