// SPDX-License-Identifier: BSD-3-Clause
// Suffixes and names of outputs' forms.
#include "cli/output_form.h"

#include <algorithm>

namespace kutrace::cli {

namespace {

struct Suffix {
  std::string_view text;
  OutputForm form;
};

// The first one that fits counts.
constexpr Suffix kSuffixes[] = {
    {".pftrace", OutputForm::kPerfetto},
    {".perfetto-trace", OutputForm::kPerfetto},
    {".chrome.json", OutputForm::kChrome},
    {".speedscope.json", OutputForm::kSpeedscope},
    {".otlp.json", OutputForm::kOtlp},
    {".folded", OutputForm::kFolded},
    {".pb.gz", OutputForm::kPprof},
    {".pprof", OutputForm::kPprof},
    {".parquet", OutputForm::kParquet},
    {".raw", OutputForm::kRaw},
    {".trace", OutputForm::kRaw},
    {".json", OutputForm::kSpanJson},
    {".html", OutputForm::kPage},
    {".kux", OutputForm::kContainer},
    {".csv", OutputForm::kCsv},
    {".ctf", OutputForm::kCtf},
};

constexpr Suffix kExports[] = {
    {"perfetto", OutputForm::kPerfetto}, {"chrome", OutputForm::kChrome},
    {"folded", OutputForm::kFolded},     {"speedscope", OutputForm::kSpeedscope},
    {"pprof", OutputForm::kPprof},       {"parquet", OutputForm::kParquet},
    {"csv", OutputForm::kCsv},           {"otlp", OutputForm::kOtlp},
    {"ctf", OutputForm::kCtf},           {"json", OutputForm::kSpanJson},
    {"html", OutputForm::kPage},         {"kux", OutputForm::kContainer},
};

}  // namespace

OutputForm form_of_output(const std::string& path) {
  for (const Suffix& suffix : kSuffixes) {
    if (path.ends_with(suffix.text)) return suffix.form;
  }
  return OutputForm::kText;
}

std::optional<OutputForm> export_form(std::string_view word) {
  const auto* const found = std::ranges::find(kExports, word, &Suffix::text);
  if (found == std::end(kExports)) return std::nullopt;
  return found->form;
}

std::vector<std::string_view> export_form_names() {
  std::vector<std::string_view> names;
  for (const Suffix& one : kExports) names.push_back(one.text);
  return names;
}

}  // namespace kutrace::cli
