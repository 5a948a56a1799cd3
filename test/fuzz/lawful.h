// SPDX-License-Identifier: BSD-3-Clause
// Promises of every file, whatever its bytes: an error that says enough, or spans for which the
// law holds.
#pragma once

#include <memory>

#include "base/error.h"
#include "base/result.h"
#include "emit/text/text_sink.h"
#include "format/raw_file.h"
#include "read/form/trace_form.h"
#include "reports/happenings.h"
#include "reports/law_check.h"
#include "reports/profile.h"

namespace kutrace::test {

void must_explain(const Error& error);

// Looks at every span, makes its text, profiles all, and keeps what blame and why keep.
class Lawful : public SpanSink {
 public:
  explicit Lawful(const NameTable& names, reports::Nesting nesting = reports::Nesting::kTold)
      : law_(nesting),
        text_(names, [](std::string_view) {}),
        profile_(names),
        happenings_({}, names) {}
  void begin(const TraceInfo& known) override { happenings_.begin(known); }
  void push(const Span& span) override;
  void call(const Call& call) override;
  void life(const ThreadLife& life) override;
  void end(TraceInfo& info) override;
  void must_hold(const TraceInfo& info);

 private:
  reports::LawCheck law_;
  emit::SpanText text_;
  reports::Profile profile_;
  reports::Happenings happenings_;
};

// Rebuilds the file. Whether that was possible.
bool must_be_lawful(const RawFile& file);
// The same of what was imported, if it was: that must be possible then.
void must_be_lawful(const Result<std::unique_ptr<read::TraceReader>>& imported);

}  // namespace kutrace::test
