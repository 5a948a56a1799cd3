// SPDX-License-Identifier: BSD-3-Clause
// Span JSON among the forms.
#include "read/span_json/json_form.h"

#include <utility>

#include "read/span_json/html_extract.h"
#include "read/span_json/json_reader.h"

namespace kutrace::read {

namespace {

class JsonTrace : public TraceReader {
 public:
  JsonTrace(MappedFile file, JsonSpans spans) : file_(std::move(file)), spans_(std::move(spans)) {}

  Result<Ns> begin() const override { return spans_.begin(); }
  Result<TraceInfo> replay(NameTable& names, SpanSink& sink, const Counters& opened,
                           const std::function<void(double)>& progress) const override {
    return spans_.replay(names, sink, opened, progress);
  }
  std::string title() const override { return spans_.header().title; }
  bool keeps_titles() const override { return false; }

 private:
  MappedFile file_;  // which the spans stand in
  JsonSpans spans_;
};

bool is_json(std::string_view bytes) {
  const char first = first_of_text(bytes);
  return first == '{' || first == '<';
}

Result<std::unique_ptr<TraceReader>> open(MappedFile file) {
  const std::string_view bytes = as_text(file);
  EmbeddedJson json{without_mark(bytes), bytes.size() - without_mark(bytes).size()};
  if (first_of_text(bytes) == '<') {
    KUTRACE_ASSIGN(json, find_embedded_json(bytes, file.name()));
  }
  KUTRACE_ASSIGN(JsonSpans spans, JsonSpans::open(json.text, file.name(), json.offset));
  return std::make_unique<JsonTrace>(std::move(file), std::move(spans));
}

}  // namespace

const TraceForm kSpanJsonForm = {is_json, open};

}  // namespace kutrace::read
