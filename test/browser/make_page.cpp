// SPDX-License-Identifier: BSD-3-Clause
// Writes a page of a made-up machine, and its totals for the browser tests to compare with.
// In: file name (.kux: a container), number of spans, CPUs, threads; out: the page, and JSON on
// stdout.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "emit/page/page_writer.h"
#include "reports/duration_histogram.h"
#include "support/span_generator.h"

namespace {

using kutrace::Ns;
using kutrace::Span;
using kutrace::SpanKind;

struct Total {
  std::uint64_t count = 0;
  Ns time = 0;
  Ns shortest = 0;
  Ns longest = 0;

  void add(const Span& span) {
    shortest = count == 0 ? span.duration : std::min(shortest, span.duration);
    longest = std::max(longest, span.duration);
    count++;
    time += span.duration;
  }
};

// What is typed into the page's search box, and what that must find.
struct Question {
  const char* text;
  bool (*holds)(const Span& span);
  Total total;
};

constexpr Ns kMs = 1'000'000;

std::vector<Question> questions() {
  return {
      {"kind:systemcall min:5us",
       [](const Span& s) { return s.kind == SpanKind::kSyscall && s.duration >= 5000; },
       {}},
      {"event:0x801 cpu:1,2 max:1us",
       [](const Span& s) {
         return s.event == 0x801 && (s.cpu == 1 || s.cpu == 2) && s.duration <= 1000;
       },
       {}},
      {"pid:1200 from:0.05 to:0.1",
       [](const Span& s) {
         return s.pid == 1200 && s.start + s.duration >= 50 * kMs && s.start <= 100 * kMs;
       },
       {}},
      {"result:EAGAIN", [](const Span& s) { return s.has_result && s.result.value == -11; }, {}},
      {"kind:systemcall arg:3",
       [](const Span& s) { return s.kind == SpanKind::kSyscall && s.arg == 3; },
       {}},
  };
}

// A part of the trace: time by kind of span, durations by system call; cut spans count inside.
struct Range {
  Ns begin = 70 * kMs;
  Ns end = 140 * kMs;
  std::array<Ns, 12> by_kind{};
  std::map<std::string, kutrace::reports::DurationHistogram> calls;

  void add(const Span& span, const std::string& name) {
    const Ns inside = std::min(end, span.start + span.duration) - std::max(begin, span.start);
    if (!is_execution(span.kind) || inside <= 0) return;
    by_kind.at(static_cast<std::size_t>(span.kind)) += inside;
    if (span.kind == SpanKind::kSyscall) calls[name].add(inside);
  }
};

// Counts the spans on their way to the page.
class Tally : public kutrace::SpanSink {
 public:
  Tally(kutrace::SpanSink& next, const kutrace::NameTable& names) : next_(next), names_(names) {}
  void push(const Span& span) override {
    const std::string name(names_.text(span.name));
    names_seen_[name].add(span);
    for (Question& question : questions_) {
      if (question.holds(span)) question.total.add(span);
    }
    range_.add(span, name);
    next_.push(span);
  }
  void print() const {
    fmt::print("\"names\":{{");
    print_totals(names_seen_);
    std::map<std::string, Total> asked;
    for (const Question& question : questions_) asked[question.text] = question.total;
    fmt::print("}},\"questions\":{{");
    print_totals(asked);
    fmt::print("}},\"range\":{{\"begin\":{},\"end\":{},\"kinds\":[{}],\"calls\":{{", range_.begin,
               range_.end, fmt::join(range_.by_kind, ","));
    const char* comma = "";
    for (const auto& [name, calls] : range_.calls) {
      fmt::print("{}\"{}\":[{},{},{},{}]", comma, name, calls.count(), calls.quantile(0.5),
                 calls.quantile(0.99), calls.longest());
      comma = ",";
    }
    fmt::print("}}}}");
  }

 private:
  static void print_totals(const std::map<std::string, Total>& totals) {
    const char* comma = "";
    for (const auto& [name, total] : totals) {
      fmt::print("{}\"{}\":[{},{},{},{}]", comma, name, total.count, total.time, total.shortest,
                 total.longest);
      comma = ",";
    }
  }

  kutrace::SpanSink& next_;
  const kutrace::NameTable& names_;
  std::map<std::string, Total> names_seen_;
  std::vector<Question> questions_ = questions();
  Range range_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto number = [&](int i, long otherwise) {
    return argc > i ? std::strtol(argv[i], nullptr, 10) : otherwise;
  };
  kutrace::test::MachineShape shape;
  shape.spans = static_cast<std::uint64_t>(number(2, 0));
  shape.cpus = static_cast<unsigned>(number(3, 4));
  shape.threads = static_cast<unsigned>(number(4, 40));
  kutrace::NameTable names;
  const bool container = std::string_view(argv[1]).ends_with(".kux");
  kutrace::emit::PageWriter page({.title = "made-up <b>machine</b>", .container = container});
  Tally tally(page, names);
  const kutrace::TraceInfo info = kutrace::test::generate_spans(shape, names, tally);
  std::FILE* file = std::fopen(argv[1], "wb");
  if (file == nullptr) return 5;
  const auto done = page.write(info, names, [&](std::string_view piece) {
    return std::fwrite(piece.data(), 1, piece.size(), file) == piece.size();
  });
  if (std::fclose(file) != 0 || !done) return 5;
  fmt::print("{{\"spans\":{},\"bytes\":{},\"end\":{},", done->spans, done->bytes, info.end);
  tally.print();
  fmt::print("}}\n");
  return 0;
}
