// SPDX-License-Identifier: BSD-3-Clause
// Chrome's JSON among the forms.
#include "read/chrome/chrome_form.h"

#include <utility>

#include "read/chrome/chrome_reader.h"
#include "read/chrome/chrome_text.h"

namespace kutrace::read {

namespace {

class ChromeTrace : public TraceReader {
 public:
  ChromeTrace(MappedFile file, ChromeSpans spans)
      : file_(std::move(file)), spans_(std::move(spans)) {}

  Result<Ns> begin() const override { return spans_.begin(); }
  Result<TraceInfo> replay(NameTable& names, SpanSink& sink, const Counters& opened,
                           const std::function<void(double)>& progress) const override {
    return spans_.replay(names, sink, opened, progress);
  }
  std::string title() const override { return spans_.title(); }
  bool keeps_titles() const override { return false; }
  bool tells_lives() const override { return !spans_.has_cpus(); }

 private:
  MappedFile file_;  // which the events stand in
  ChromeSpans spans_;
};

bool is_chrome(std::string_view bytes) {
  const char first = first_of_text(bytes);
  return (first == '{' || first == '[') && is_chrome_json(without_mark(bytes));
}

Result<std::unique_ptr<TraceReader>> open(MappedFile file) {
  KUTRACE_ASSIGN(ChromeSpans spans, ChromeSpans::open(without_mark(as_text(file)), file.name()));
  return std::make_unique<ChromeTrace>(std::move(file), std::move(spans));
}

}  // namespace

const TraceForm kChromeForm = {is_chrome, open};

}  // namespace kutrace::read
