// SPDX-License-Identifier: BSD-3-Clause
// Writes a page of a made-up machine, and its totals for the browser tests to compare with.
// In: file name, number of spans, CPUs, threads; out: the page, and JSON on stdout.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "emit/page_writer.h"
#include "support/span_generator.h"

namespace {

using kutrace::Span;

struct Total {
  std::uint64_t count = 0;
  kutrace::Ns time = 0;
  kutrace::Ns shortest = 0;
  kutrace::Ns longest = 0;
};

// Counts the spans by name on their way to the page.
class Tally : public kutrace::SpanSink {
 public:
  Tally(kutrace::SpanSink& next, const kutrace::NameTable& names) : next_(next), names_(names) {}
  void push(const Span& span) override {
    Total& total = totals_[names_.text(span.name)];
    total.shortest = total.count == 0 ? span.duration : std::min(total.shortest, span.duration);
    total.longest = std::max(total.longest, span.duration);
    total.count++;
    total.time += span.duration;
    next_.push(span);
  }
  const std::map<std::string, Total>& totals() const { return totals_; }

 private:
  kutrace::SpanSink& next_;
  const kutrace::NameTable& names_;
  std::map<std::string, Total> totals_;
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
  kutrace::PageWriter page({.title = "made-up <b>machine</b>"});
  Tally tally(page, names);
  const kutrace::TraceInfo info = kutrace::test::generate_spans(shape, names, tally);
  std::FILE* file = std::fopen(argv[1], "wb");
  if (file == nullptr) return 5;
  const auto done = page.finish(info, names, [&](std::string_view piece) {
    return std::fwrite(piece.data(), 1, piece.size(), file) == piece.size();
  });
  if (std::fclose(file) != 0 || !done) return 5;
  fmt::print("{{\"spans\":{},\"bytes\":{},\"end\":{},\"names\":{{", done->spans, done->bytes,
             info.end);
  const char* comma = "";
  for (const auto& [name, total] : tally.totals()) {
    fmt::print("{}\"{}\":[{},{},{},{}]", comma, name, total.count, total.time, total.shortest,
               total.longest);
    comma = ",";
  }
  fmt::print("}}}}\n");
  return 0;
}
