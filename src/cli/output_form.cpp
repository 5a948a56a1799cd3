// SPDX-License-Identifier: BSD-3-Clause
// Suffixes of outputs.
#include "cli/output_form.h"

#include <string_view>

namespace kutrace::cli {

namespace {

struct Suffix {
  std::string_view text;
  OutputForm form;
};

constexpr Suffix kSuffixes[] = {
    {".raw", OutputForm::kRaw},       {".trace", OutputForm::kRaw},
    {".json", OutputForm::kSpanJson}, {".html", OutputForm::kPage},
    {".kux", OutputForm::kContainer}, {".csv", OutputForm::kCsv},
};

}  // namespace

OutputForm form_of_output(const std::string& path) {
  for (const Suffix& suffix : kSuffixes) {
    if (path.ends_with(suffix.text)) return suffix.form;
  }
  return OutputForm::kText;
}

}  // namespace kutrace::cli
