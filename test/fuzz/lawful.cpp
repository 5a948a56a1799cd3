// SPDX-License-Identifier: BSD-3-Clause
// Rebuilding with every span looked at.
#include "fuzz/lawful.h"

#include <string>

#include "emit/text_sink.h"
#include "fuzz/fuzz_target.h"
#include "reports/law_check.h"
#include "spans/rebuild.h"

namespace kutrace::test {

namespace {

class Check : public SpanSink {
 public:
  explicit Check(const NameTable& names) : text_(names, [](std::string_view) {}) {}
  void push(const Span& span) override {
    if (span.duration < 0) {
      const std::string text = std::string(span_kind_name(span.kind)) + " ends before it starts";
      broken_promise(text.c_str());
    }
    law_.push(span);
    text_.push(span);
  }
  LawReport finish(const TraceInfo& info) { return law_.finish(info); }

 private:
  LawCheck law_;
  SpanText text_;
};

}  // namespace

void must_explain(const Error& error) {
  if (error.sentence.empty() || error.file.empty() || error.hint.empty()) {
    broken_promise("an error says too little");
  }
}

bool must_be_lawful(const RawFile& file) {
  NameTable names;
  Check check(names);
  const auto info = rebuild(file, names, check);
  if (!info) {
    must_explain(info.error());
    return false;
  }
  for (const LossRecord& loss : info->losses) {
    if (loss.end <= loss.begin) broken_promise("a loss that is shown ends before it begins");
  }
  const LawReport law = check.finish(*info);
  if (!law.holds()) broken_promise(law.violations.front().c_str());
  return true;
}

}  // namespace kutrace::test
