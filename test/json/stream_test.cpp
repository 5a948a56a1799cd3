// SPDX-License-Identifier: BSD-3-Clause
// Every form of trace is one stream: it begins once, ends once, and what a stage makes of the facts
// at the end is what the reader returns.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "emit/page/page_writer.h"
#include "emit/span_json/span_json.h"
#include "filters/name_samples.h"
#include "filters/trim_time.h"
#include "format/event_table.h"
#include "model/span_sink.h"
#include "read/page/page_reader.h"
#include "read/span_json/json_reader.h"
#include "spans/rebuild.h"
#include "support/event_numbers.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

// What came, in order; what comes again and again is one line.
class Protocol : public SpanSink {
 public:
  void begin(const TraceInfo& known) override {
    note("begin");
    cpus_at_begin = known.cpus;
    begin_at_begin = known.begin;
  }
  void push(const Span&) override { note("spans and calls"); }
  void call(const Call&) override {
    note("spans and calls");
    ++calls;
  }
  void life(const ThreadLife&) override {
    note("spans and calls");
    ++lives;
  }
  void end(TraceInfo& info) override {
    note("end");
    cpus_at_end = info.cpus;
    info.host_name = "as the stage says";
  }

  std::vector<std::string> came;
  std::vector<CpuId> cpus_at_begin;
  std::vector<CpuId> cpus_at_end;
  Ns begin_at_begin = -1;
  int calls = 0;
  int lives = 0;

 private:
  void note(const char* what) {
    if (came.empty() || came.back() != what || came.back() != "spans and calls") {
      came.emplace_back(what);
    }
  }
};

void must_be_a_stream(const Protocol& seen, const TraceInfo& info) {
  CHECK(seen.came == std::vector<std::string>{"begin", "spans and calls", "end"});
  CHECK(seen.cpus_at_begin == std::vector<CpuId>{0, 1});
  CHECK(seen.cpus_at_end == seen.cpus_at_begin);
  CHECK(seen.begin_at_begin == info.begin);
  CHECK(info.host_name == "as the stage says");
}

RawFile two_cpus() {
  TraceBuilder b;
  b.cpu(0, 10).at(10, kRead).at(20, kRead | ev::kReturnBit, 5).at(30, ev::kUSERPID, 11);
  b.cpu(1, 20).at(15, kRead).at(35, kRead | ev::kReturnBit, 5);
  return b.file(100);
}

struct Page {
  NameTable names;
  std::string text;
};

void make_page(const RawFile& file, Page& page) {
  emit::PageWriter writer(emit::PageOptions{});
  const auto info = spans::rebuild(file, page.names, writer);
  REQUIRE(info);
  REQUIRE(writer.write(*info, page.names, [&page](std::string_view piece) {
    page.text += piece;
    return true;
  }));
}

}  // namespace

TEST_CASE("a raw file, a page and span JSON begin once, end once, and return what stages made") {
  const RawFile file = two_cpus();
  NameTable names;
  Protocol raw;
  const auto info = spans::rebuild(file, names, raw);
  REQUIRE(info);
  must_be_a_stream(raw, *info);
  CHECK(raw.calls == 2);
  CHECK(raw.lives == 3);

  Page made;
  make_page(file, made);
  const auto page = read::PageSpans::open(made.text, "made.html");
  REQUIRE(page);
  Protocol of_page;
  const auto page_info = page->replay(names, of_page);
  REQUIRE(page_info);
  must_be_a_stream(of_page, *page_info);
  CHECK(of_page.calls == 2);

  emit::SpanJson json;
  NameTable json_names;
  const auto json_info = spans::rebuild(file, json_names, json);
  REQUIRE(json_info);
  std::string text;
  REQUIRE(json.write(*json_info, json_names, "t", [&](std::string_view piece) { text += piece; }));
  const auto spans = read::JsonSpans::open(text, "made.json");
  REQUIRE(spans);
  Protocol of_json;
  const TraceInfo of_spans = spans->replay(names, of_json);
  must_be_a_stream(of_json, of_spans);
}

TEST_CASE("what opening a file counted is known at the end") {
  const RawFile file = two_cpus();
  Counters opened;
  opened.add(Counter::kPackedInputCut, 3);
  NameTable names;
  Protocol raw;
  const auto info = spans::rebuild(file, names, raw, opened);
  REQUIRE(info);
  CHECK(info->counters.of(Counter::kPackedInputCut) == 3);
  Page made;
  make_page(file, made);
  const auto page = read::PageSpans::open(made.text, "made.html");
  REQUIRE(page);
  const auto page_info = page->replay(names, raw, opened);
  REQUIRE(page_info);
  CHECK(page_info->counters.of(Counter::kPackedInputCut) == 3);
}

TEST_CASE("a stage that names samples, and two sinks, hand on all else") {
  const RawFile file = two_cpus();
  NameTable names;
  Protocol first;
  Protocol second;
  SampleNames none(names);
  filters::NameSamples named(none, second);
  BothSinks both(first, named);
  const auto info = spans::rebuild(file, names, both);
  REQUIRE(info);
  must_be_a_stream(first, *info);
  must_be_a_stream(second, *info);
  CHECK(first.calls == 2);
  CHECK(second.calls == 2);
  CHECK(second.lives == 3);
}

TEST_CASE("a filter ends the stream with its own facts, and calls stay behind") {
  const RawFile file = two_cpus();
  NameTable names;
  Protocol seen;
  filters::TrimTime trim({{200, 300}}, std::nullopt, names, seen);
  const auto info = spans::rebuild(file, names, trim);
  REQUIRE(info);
  CHECK(info->begin == 200);
  CHECK(info->end == 300);
  CHECK(info->host_name == "as the stage says");
  CHECK(seen.came == std::vector<std::string>{"begin", "spans and calls", "end"});
  CHECK(seen.calls == 0);
  CHECK(seen.lives == 0);
}

}  // namespace kutrace::test
