// SPDX-License-Identifier: BSD-3-Clause
// One writer per form.
#include "cli/span_output.h"

#include "cli/output_file.h"
#include "cli/output_form.h"
#include "cli/raw_output.h"
#include "cli/spill_file.h"
#include "emit/page/page_writer.h"
#include "emit/span_json/span_json.h"
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

}  // namespace

Option add_output_options(const Command& command, SpanOutput::Options& options) {
  const Option output = command.add_option("-o,--output", options.path,
                                           "Where the result goes; - is standard output");
  command.add_option("--title", options.title, "Title of a page or of span JSON");
  return output;
}

Result<std::unique_ptr<SpanOutput>> SpanOutput::create(const Options& options, NameTable& names) {
  const OutputForm form = form_of_output(options.path);
  if (form == OutputForm::kRaw) return fail(spans_are_not_raw());
  KUTRACE_ASSIGN(OutputFile file, OutputFile::create(options.path));
  switch (form) {
    case OutputForm::kPage:
    case OutputForm::kContainer:
      return std::make_unique<PageOutputFile>(
          std::move(file), names,
          emit::PageOptions{.title = options.title, .container = form == OutputForm::kContainer});
    case OutputForm::kSpanJson:
      return std::make_unique<JsonOutput>(std::move(file), names, options);
    default:
      return std::make_unique<TextOutput>(std::move(file), names);
  }
}

}  // namespace kutrace::cli
