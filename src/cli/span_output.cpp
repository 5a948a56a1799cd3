// SPDX-License-Identifier: BSD-3-Clause
// One writer per form.
#include "cli/span_output.h"

#include <string_view>

#include "cli/output_file.h"
#include "cli/output_folder.h"
#include "cli/raw_output.h"
#include "cli/spill_file.h"
#include "emit/chrome/chrome.h"
#include "emit/csv/csv.h"
#include "emit/ctf/ctf.h"
#include "emit/folded/folded.h"
#include "emit/otlp/otlp.h"
#include "emit/page/page_writer.h"
#include "emit/parquet/tables.h"
#include "emit/perfetto/perfetto.h"
#include "emit/pprof/pprof.h"
#include "emit/span_json/span_json.h"
#include "emit/speedscope/speedscope.h"
#include "emit/stream/export_sink.h"
#include "emit/text/text_sink.h"

namespace kutrace::cli {

namespace {

class TextOutput : public SpanOutput {
 public:
  TextOutput(OutputFile file, const NameTable& names)
      : file_(std::move(file)), text_(names, [this](std::string_view line) {
          file_.write(line);
          file_.write("\n");
        }) {}
  SpanSink& sink() override { return text_; }
  Status finish(const TraceInfo& /*info*/) override { return file_.finish(); }

 private:
  OutputFile file_;
  emit::SpanText text_;
};

class PageOutputFile : public SpanOutput {
 public:
  PageOutputFile(OutputFile file, const NameTable& names, emit::PageOptions options)
      : file_(std::move(file)), names_(names), page_(std::move(options)) {}
  SpanSink& sink() override { return page_; }
  Status finish(const TraceInfo& info) override {
    const Result<emit::PageSummary> written =
        page_.write(info, names_, [this](std::string_view piece) { return file_.write(piece); });
    // A full disk is told by the file, which knows the reason.
    if (!written && written.error().kind != ErrorKind::kOutput) return fail(written.error());
    KUTRACE_TRY(file_.finish());
    if (!written) return fail(written.error());
    return {};
  }

 private:
  OutputFile file_;
  const NameTable& names_;
  emit::PageWriter page_;
};

class JsonOutput : public SpanOutput {
 public:
  JsonOutput(OutputFile file, const NameTable& names, const Options& options)
      : file_(std::move(file)), names_(names), title_(options.title), spill_(options.path) {}
  SpanSink& sink() override { return json_; }
  Status finish(const TraceInfo& info) override {
    KUTRACE_TRY(
        json_.write(info, names_, title_, [this](std::string_view text) { file_.write(text); }));
    return file_.finish();
  }

 private:
  OutputFile file_;
  const NameTable& names_;
  std::string title_;
  SpillFile spill_;
  emit::SpanJson json_{&spill_};
};

// A form of another tool.
class ExportOutput : public SpanOutput {
 public:
  ExportOutput(OutputFile file, OutputForm form, const Options& options, NameTable& names)
      : file_(std::move(file)), sink_(make(form, options, names, [this](std::string_view bytes) {
          return file_.write(bytes);
        })) {}
  SpanSink& sink() override { return *sink_; }
  Status finish(const TraceInfo& info) override {
    KUTRACE_TRY(sink_->finish(info));
    return file_.finish();
  }

 private:
  static std::unique_ptr<emit::ExportSink> make(OutputForm form, const Options& options,
                                                NameTable& names, emit::TakeBytes take) {
    switch (form) {
      case OutputForm::kChrome:
        return std::make_unique<emit::ChromeSink>(names, std::move(take));
      case OutputForm::kFolded:
        return std::make_unique<emit::FoldedSink>(names, std::move(take));
      case OutputForm::kSpeedscope:
        return std::make_unique<emit::SpeedscopeSink>(names, std::move(take));
      case OutputForm::kPprof:
        return std::make_unique<emit::PprofSink>(names, std::move(take));
      case OutputForm::kParquet:
        return emit::parquet_table(options.table, names, std::move(take));
      case OutputForm::kCsv:
        return std::make_unique<emit::CsvSink>(names, std::move(take));
      case OutputForm::kOtlp:
        return std::make_unique<emit::OtlpSink>(names, std::move(take));
      default:
        return std::make_unique<emit::PerfettoSink>(names, std::move(take));
    }
  }

  OutputFile file_;
  std::unique_ptr<emit::ExportSink> sink_;
};

// One that is a folder.
class FolderOutput : public SpanOutput {
 public:
  FolderOutput(files::NewFolder folder, const NameTable& names)
      : folder_(std::move(folder)), ctf_(names, folder_) {}
  SpanSink& sink() override { return ctf_; }
  Status finish(const TraceInfo& info) override {
    KUTRACE_TRY(ctf_.finish(info));
    return folder_.finish();
  }

 private:
  OutputFolder folder_;
  emit::CtfSink ctf_;
};

Result<std::unique_ptr<SpanOutput>> folder_output(const SpanOutput::Options& options,
                                                  const NameTable& names) {
  if (options.path == "-") {
    return fail(usage_error("a trace of CTF is a folder, which standard output is not")
                    .with_hint("-o FOLDER says where it is to stand"));
  }
  KUTRACE_ASSIGN(files::NewFolder folder, files::NewFolder::create(options.path));
  return std::make_unique<FolderOutput>(std::move(folder), names);
}

}  // namespace

Option add_output_options(const Command& command, SpanOutput::Options& options) {
  const Option output = command.add_option("-o,--output", options.path,
                                           "where the result goes; - is standard output");
  command.add_option("--title", options.title, "title of a page or of span JSON");
  return output;
}

Result<std::unique_ptr<SpanOutput>> SpanOutput::create(const Options& options, NameTable& names) {
  const OutputForm form = options.form.value_or(form_of_output(options.path));
  if (form == OutputForm::kRaw) return fail(spans_are_not_raw());
  if (form == OutputForm::kCtf) return folder_output(options, names);
  KUTRACE_ASSIGN(OutputFile file, OutputFile::create(options.path));
  switch (form) {
    case OutputForm::kPage:
    case OutputForm::kContainer:
      return std::make_unique<PageOutputFile>(
          std::move(file), names,
          emit::PageOptions{.title = options.title,
                            .container = form == OutputForm::kContainer,
                            .names = &names});
    case OutputForm::kSpanJson:
      return std::make_unique<JsonOutput>(std::move(file), names, options);
    case OutputForm::kText:
    case OutputForm::kRaw:
      return std::make_unique<TextOutput>(std::move(file), names);
    default:
      return std::make_unique<ExportOutput>(std::move(file), form, options, names);
  }
}

}  // namespace kutrace::cli
