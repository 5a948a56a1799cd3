// SPDX-License-Identifier: BSD-3-Clause
// The forms that outputs can have. In: the name of a file, or of a form; out: the form. Every
// command that writes asks here, so that a suffix means the same to all of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace::cli {

enum class OutputForm {
  kText,        // any other name, and standard output
  kRaw,         // .raw, .trace
  kSpanJson,    // .json
  kPage,        // .html
  kContainer,   // .kux: a page's data without its viewer
  kCsv,         // .csv
  kPerfetto,    // .pftrace, .perfetto-trace: Perfetto's protocol buffers
  kChrome,      // .chrome.json
  kFolded,      // .folded
  kSpeedscope,  // .speedscope.json
  kPprof,       // .pb.gz, .pprof
  kParquet,     // .parquet
  kOtlp,        // .otlp.json
  kCtf,         // .ctf, a folder
};

OutputForm form_of_output(const std::string& path);

// One that `export --to` takes; nothing: another word.
std::optional<OutputForm> export_form(std::string_view word);
// "perfetto, ..."
std::vector<std::string_view> export_form_names();

}  // namespace kutrace::cli
