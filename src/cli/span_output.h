// SPDX-License-Identifier: BSD-3-Clause
// Where a trace goes, by the name it is to have (cli/output_form.h): .json span JSON, .html a page,
// .pftrace what Perfetto reads, everything else (and standard output) the text form. Spans go in
// through `sink`; the file appears when `finish` has written it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/command.h"
#include "cli/output_form.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/trace_info.h"

namespace kutrace::cli {

class SpanOutput {
 public:
  struct Options {
    std::string path = "-";
    std::string title;               // of a page or JSON
    std::optional<OutputForm> form;  // else by the name
    std::string table = "spans";     // of Parquet
  };

  static Result<std::unique_ptr<SpanOutput>> create(const Options& options, NameTable& names);
  virtual ~SpanOutput() = default;

  virtual SpanSink& sink() = 0;
  virtual Status finish(const TraceInfo& info) = 0;
};

// -o and --title. Returns the first, for what the subcommand demands of it.
Option add_output_options(const Command& command, SpanOutput::Options& options);

}  // namespace kutrace::cli
