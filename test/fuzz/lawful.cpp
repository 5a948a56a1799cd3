// SPDX-License-Identifier: BSD-3-Clause
// Rebuilding with every span looked at.
#include "fuzz/lawful.h"

#include <string>

#include "fuzz/fuzz_target.h"
#include "reports/profile_page.h"
#include "spans/rebuild.h"

namespace kutrace::test {

void Lawful::push(const Span& span) {
  if (span.duration < 0) {
    const std::string text = std::string(span_kind_name(span.kind)) + " ends before it starts";
    broken_promise(text.c_str());
  }
  law_.push(span);
  text_.push(span);
  profile_.push(span);
  happenings_.push(span);
}

void Lawful::call(const Call& call) {
  law_.call(call);
  profile_.call(call);
  happenings_.call(call);
}

void Lawful::life(const ThreadLife& life) {
  law_.life(life);
  happenings_.life(life);
}

void Lawful::end(TraceInfo& info) {
  law_.end(info);
  happenings_.end(info);
}

void Lawful::must_hold(const TraceInfo& info) {
  for (const LossRecord& loss : info.losses) {
    if (loss.end < loss.begin) broken_promise("a loss that is shown ends before it begins");
  }
  NameTable names;
  reports::LawCheck laid_out(reports::Nesting::kNotTold);
  const auto rows = reports::grouped_rows(profile_.rows(info), true);
  reports::lay_out_profile(rows, info, names, laid_out);
  if (!laid_out.report().holds()) {
    broken_promise("the spans of a profile do not add up");
  }
  const reports::LawReport law = law_.report();
  if (!law.holds()) broken_promise(law.violations.first.front().c_str());
}

void must_explain(const Error& error) {
  if (error.sentence.empty() || error.file.empty() || error.hint.empty()) {
    broken_promise("an error says too little");
  }
}

bool must_be_lawful(const RawFile& file) {
  NameTable names;
  Lawful check(names);
  const auto info = spans::rebuild(file, names, check);
  if (!info) {
    must_explain(info.error());
    return false;
  }
  check.must_hold(*info);
  return true;
}

void must_be_lawful(const Result<std::unique_ptr<read::TraceReader>>& imported) {
  if (!imported) {
    must_explain(imported.error());
  } else if (!must_be_lawful(*(*imported)->raw())) {
    broken_promise("what was imported cannot be rebuilt");
  }
}

}  // namespace kutrace::test
