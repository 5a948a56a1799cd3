// SPDX-License-Identifier: BSD-3-Clause
// Rebuilding and comparing.
#include "property/observed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "format/raw_file.h"
#include "spans/rebuild.h"

namespace kutrace::test {

namespace {

class Collect : public SpanSink {
 public:
  explicit Collect(Observed& out) : out_(out) {}
  void push(const Span& span) override {
    out_.spans.push_back(span);
    out_.negative += span.duration < 0 ? 1 : 0;
    law_.push(span);
  }
  void call(const Call& call) override { law_.call(call); }
  void life(const ThreadLife& life) override {
    law_.life(life);
    out_.processes.add(life);
  }
  void end(TraceInfo& info) override {
    law_.end(info);
    out_.processes.finish();
  }
  reports::LawReport report() { return law_.report(); }

 private:
  Observed& out_;
  reports::LawCheck law_;
};

bool same_thing(const TrueSpan& a, const TrueSpan& b) {
  return a.cpu == b.cpu && a.pid == b.pid && a.kind == b.kind && a.event == b.event &&
         a.arg == b.arg;
}

bool agree(const TrueSpan& a, const TrueSpan& b, Ns tick) {
  return same_thing(a, b) && std::abs(a.begin - b.begin) <= tick &&
         std::abs(a.end - b.end) <= tick && a.has_result == b.has_result && a.result == b.result &&
         a.ipc == b.ipc;
}

std::string text_of(const TrueSpan& span) {
  return fmt::format("CPU {} {}..{} {} {:x}({}) pid {}{} ipc {}", span.cpu, span.begin, span.end,
                     span_kind_name(span.kind), span.event, span.arg, span.pid,
                     span.has_result ? fmt::format(" = {}", span.result.value) : "", span.ipc);
}

std::string wait_text(Pid pid, Ns begin, Ns end) {
  return fmt::format("{:012} pid {} waits until {}", begin, pid, end);
}

std::string wakeup_text(Ns begin, Ns end, CpuId from, CpuId to, Pid pid) {
  return fmt::format("{:012} CPU {} wakes pid {}, which runs on CPU {} at {}", begin, from, pid, to,
                     end);
}

}  // namespace

void observe(std::vector<std::byte> file, Observed& out) {
  auto raw = RawFile::open(MappedFile::from_bytes(std::move(file), "generated"));
  if (!raw) {
    out.error = describe(raw.error());
    return;
  }
  Collect collect(out);
  NameTable names;
  auto info = spans::rebuild(*raw, names, collect);
  if (!info) {
    out.error = describe(info.error());
    return;
  }
  out.usable = true;
  out.info = std::move(*info);
  out.law = collect.report();
}

std::vector<TrueSpan> merged(const std::vector<TrueSpan>& spans) {
  std::vector<TrueSpan> out;
  for (const TrueSpan& span : spans) {
    if (!out.empty() && same_thing(out.back(), span) && !out.back().has_result &&
        out.back().end == span.begin) {
      out.back().end = span.end;
      out.back().has_result = span.has_result;
      out.back().result = span.result;
    } else {
      out.push_back(span);
    }
  }
  return out;
}

std::vector<TrueSpan> timelines(const std::vector<Span>& spans) {
  std::vector<TrueSpan> all;
  for (const Span& span : spans) {
    if (!is_execution(span.kind)) continue;
    all.push_back({span.start, span.start + span.duration, span.cpu, span.pid, span.kind,
                   span.event, span.arg, span.has_result, span.result, span.ipc});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const TrueSpan& a, const TrueSpan& b) { return a.cpu < b.cpu; });
  return all;
}

std::vector<TrueSpan> merged(const std::vector<Span>& spans) { return merged(timelines(spans)); }

std::string first_difference(const std::vector<TrueSpan>& truth, const std::vector<TrueSpan>& seen,
                             Ns tick) {
  const std::size_t most = std::max(truth.size(), seen.size());
  for (std::size_t i = 0; i < most; ++i) {
    if (i < truth.size() && i < seen.size() && agree(truth[i], seen[i], tick)) continue;
    std::string text = fmt::format("span {}:", i);
    for (std::size_t at = i < 2 ? 0 : i - 2; at < std::min(most, i + 3); ++at) {
      text += "\n  truth " + (at < truth.size() ? text_of(truth[at]) : "nothing");
      text += "\n  seen  " + (at < seen.size() ? text_of(seen[at]) : "nothing");
    }
    return text;
  }
  return {};
}

std::string first_without_match(const std::vector<TrueSpan>& spans,
                                const std::vector<TrueSpan>& others, Ns tick) {
  const auto starts_before = [](const TrueSpan& a, const TrueSpan& b) {
    return std::tuple(a.cpu, a.begin) < std::tuple(b.cpu, b.begin);
  };
  for (const TrueSpan& span : spans) {
    if (span.end - span.begin < 3 * tick) continue;
    TrueSpan from = span;
    from.begin -= tick;
    auto at = std::lower_bound(others.begin(), others.end(), from, starts_before);
    while (at != others.end() && at->cpu == span.cpu && at->begin <= span.begin + tick &&
           !agree(span, *at, tick)) {
      ++at;
    }
    const bool found = at != others.end() && agree(span, *at, tick);
    if (!found) return text_of(span);
  }
  return {};
}

std::string first_difference(std::vector<std::string> truth, std::vector<std::string> seen) {
  std::sort(truth.begin(), truth.end());
  std::sort(seen.begin(), seen.end());
  const auto [a, b] = std::mismatch(truth.begin(), truth.end(), seen.begin(), seen.end());
  std::string text;
  if (a != truth.end()) text += "\n  truth " + *a;
  if (b != seen.end()) text += "\n  seen  " + *b;
  return text;
}

std::vector<std::string> waits_and_wakeups(const Truth& truth) {
  std::vector<std::string> lines;
  for (const TrueWait& wait : truth.waits) {
    lines.push_back(wait_text(wait.pid, wait.begin, wait.end));
  }
  for (const TrueArc& arc : truth.wakeups) {
    lines.push_back(wakeup_text(arc.begin, arc.end, arc.from, arc.to, arc.pid));
  }
  return lines;
}

std::vector<std::string> waits_and_wakeups(const Observed& seen) {
  std::vector<std::string> lines;
  for (const Span& span : seen.spans) {
    const Ns end = span.start + span.duration;
    if (span.kind == SpanKind::kWait) lines.push_back(wait_text(span.pid, span.start, end));
    if (span.kind == SpanKind::kWakeupArc) {
      lines.push_back(wakeup_text(span.start, end, span.cpu, span.low_arg(), span.other));
    }
  }
  return lines;
}

}  // namespace kutrace::test
