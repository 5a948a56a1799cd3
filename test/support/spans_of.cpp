// SPDX-License-Identifier: BSD-3-Clause
// Replaying for tests.
#include "support/spans_of.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "emit/text/call_text.h"
#include "emit/text/syscalls_text.h"
#include "spans/rebuild.h"

namespace kutrace::test {

namespace {

class Collect : public SpanSink {
 public:
  explicit Collect(Replay& out)
      : out_(out),
        system_calls_(out.names, reports::Syscalls::Wanted(),
                      [&out](std::string_view line) { out.system_calls.emplace_back(line); }) {}
  void push(const Span& span) override {
    out_.spans.push_back(span);
    law_.push(span);
  }
  void call(const Call& call) override {
    out_.calls.push_back(emit::call_line(call, out_.names));
    system_calls_.call(call);
    law_.call(call);
  }
  void life(const ThreadLife& life) override {
    out_.lives.push_back(life);
    law_.life(life);
  }
  void end(TraceInfo& info) override { law_.end(info); }
  reports::LawReport report() { return law_.report(); }

 private:
  Replay& out_;
  emit::SyscallLines system_calls_;
  reports::LawCheck law_;
};

std::string text_of(const Span& span, const NameTable& names) {
  std::string text = fmt::format("{} {}+{} {}", span_kind_name(span.kind), span.start,
                                 span.duration, names.text(span.name));
  if (span.arg != 0) text += fmt::format("({})", span.arg);
  if (span.has_result) text += fmt::format("={}", span.result.value);
  return text;
}

}  // namespace

void replay(const RawFile& file, Replay& out) {
  Collect collect(out);
  auto info = spans::rebuild(file, out.names, collect);
  if (!info) FAIL(describe(info.error()));
  out.info = std::move(*info);
  out.law = collect.report();
  for (const std::string& violation : out.law.violations.first) UNSCOPED_INFO(violation);
  REQUIRE(out.law.holds());
}

Replay replayed(TraceBuilder& trace, Ticks stop) {
  Replay result;
  replay(trace.file(stop), result);
  return result;
}

std::vector<std::string> Replay::timeline(CpuId cpu) const {
  std::vector<std::string> lines;
  for (const Span& span : spans) {
    if (is_execution(span.kind) && span.cpu == cpu) lines.push_back(text_of(span, names));
  }
  return lines;
}

std::vector<std::string> Replay::of_kind(SpanKind kind) const {
  std::vector<std::string> lines;
  for (const Span& span : spans) {
    if (span.kind == kind) lines.push_back(fmt::format("{}: {}", span.pid, text_of(span, names)));
  }
  return lines;
}

}  // namespace kutrace::test
