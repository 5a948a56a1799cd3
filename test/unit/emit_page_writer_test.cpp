// SPDX-License-Identifier: BSD-3-Clause
// The page as text: safe encoding, title, slots, what the overview may not lose.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "base/b128.h"
#include "base/json_text.h"
#include "emit/page/lod.h"
#include "emit/page/page_writer.h"
#include "emit/page/slab.h"
#include "support/span_generator.h"

using namespace kutrace;

namespace {

std::string made_page(std::uint64_t spans, const std::string& title, emit::PageSummary& summary) {
  NameTable names;
  emit::PageWriter page({.title = title});
  const TraceInfo info = test::generate_spans({.spans = spans}, names, page);
  std::string text;
  const Result<emit::PageSummary> done = page.write(info, names, [&](std::string_view piece) {
    text += piece;
    return true;
  });
  REQUIRE(done);
  summary = *done;
  return text;
}

}  // namespace

TEST_CASE("text of 7 bits a character holds nothing that an HTML parser would change") {
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < 5000; i++) bytes.push_back(static_cast<std::uint8_t>(i * 31 + i / 256));
  std::string text;
  append_b128(bytes, text);
  CHECK(text.find_first_of(std::string("<\r\0", 3)) == text.npos);
  const auto characters =
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  CHECK(static_cast<std::size_t>(characters) == (bytes.size() * 8 + 6) / 7);
}

TEST_CASE("a page's title is text, whatever it holds") {
  emit::PageSummary summary;
  const std::string page = made_page(1000, "</title><script>alert(1)</script>", summary);
  CHECK(page.find("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>") !=
        page.npos);
  CHECK(page.find("<script>alert") == page.npos);
  CHECK(summary.bytes == page.size());
  CHECK(summary.spans >= 1000);
}

TEST_CASE("a page ends with the call that says it is whole") {
  emit::PageSummary summary;
  const std::string page = made_page(300'000, "slabs", summary);
  CHECK(page.find("id=\"kutrace-slab-2\"") != page.npos);
  CHECK(page.rfind("kutrace.complete()") > page.rfind("id=\"kutrace-slab-2\""));
}

TEST_CASE("an empty trace still makes a page") {
  NameTable names;
  emit::PageWriter page({.title = ""});
  std::string text;
  const auto done = page.write(TraceInfo{}, names, [&](std::string_view piece) {
    text += piece;
    return true;
  });
  REQUIRE(done);
  CHECK(done->spans == 0);
}

TEST_CASE("output that cannot be written is an error") {
  NameTable names;
  emit::PageWriter page({.title = "x"});
  const TraceInfo info = test::generate_spans({.spans = 100}, names, page);
  const auto done = page.write(info, names, [](std::string_view) { return false; });
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::kOutput);
}

void add(emit::CpuOverview& cpus, CpuId cpu, SpanKind what, Ns start, Ns duration) {
  emit::SlabSpan span;
  span.cpu = cpu;
  span.what = what;
  span.start = start;
  span.duration = duration;
  cpus.add(std::span(&span, 1));
}

TEST_CASE("the overview keeps a short interrupt within a long idle") {
  emit::CpuOverview cpus(16);
  emit::Overview overview(16);
  Span idle;
  idle.kind = SpanKind::kIdle;
  idle.cpu = 0;
  idle.pid = 0;
  idle.duration = 1'000'000'000;
  add(cpus, 0, idle.kind, idle.start, idle.duration);
  overview.add(idle, kIdleThread);
  Span irq;
  irq.kind = SpanKind::kIrq;
  irq.cpu = 0;
  irq.start = idle.duration;
  irq.duration = 1;
  add(cpus, 0, irq.kind, irq.start, irq.duration);
  overview.add(irq, 2);
  cpus.shrink(1);
  overview.shrink(1);
  const emit::Column column = overview.encode(cpus, overview.encode_threads(), idle.duration + 1);
  const auto bytes = column.bytes();
  // Begin, two widths and counts, one CPU with one bucket; then a byte for each kind.
  emit::Column head;
  head.put_signed(0);
  std::size_t at = head.bytes().size();
  const auto skip = [&] {
    while (bytes[at] >= 0x80) at++;
    at++;
  };
  for (int i = 0; i < 7; i++) skip();
  CHECK(bytes[at + static_cast<std::size_t>(SpanKind::kIrq)] == 1);
}

TEST_CASE("an overview reaches as far as times do") {
  constexpr Ns kFar = Ns{1} << 61;
  emit::CpuOverview cpus(1u << 15);
  emit::Overview overview(1u << 12);
  Span span;
  span.start = -kFar;
  span.duration = 1000;
  cpus.begin_at(span.start);
  for (const Ns duration : {Ns{1000}, 2 * kFar, 2 * kFar + kFar - 1000}) {
    span.duration = duration;
    add(cpus, 0, span.kind, span.start, span.duration);
    overview.add(span, 2);
    overview.add_wait(span.start, span.duration, 0x300, 2);
  }
  cpus.shrink(1);
  overview.shrink(1);
  CHECK(overview.encode(cpus, overview.encode_threads(), kFar).bytes().size() < 10'000);
}

TEST_CASE("what began before the overview counts from its begin on") {
  emit::CpuOverview cpus(16);
  cpus.begin_at(1'000'000'000'000);
  add(cpus, 0, SpanKind::kUser, 0, 1'000'000'001'000);
  emit::Column out;
  cpus.put_buckets(out);
  CHECK(out.bytes().size() < 100);
}

TEST_CASE("the overview of many threads keeps few slices of each, however often they run") {
  constexpr std::size_t kThreads = 40'000;
  constexpr std::size_t kTimesEach = 40;
  constexpr std::size_t kSliceBytes = 7;
  emit::Overview overview(1u << 12);
  Span span;
  span.duration = 1000;
  for (std::size_t i = 0; i < kThreads * kTimesEach; i++) {
    span.start = static_cast<Ns>(i) * span.duration;
    overview.add(span, static_cast<ThreadIndex>(2 + i % kThreads));
  }
  CHECK(overview.encode_threads().bytes().size() < 16 * kSliceBytes * kThreads);
}

TEST_CASE("the overview of many CPUs keeps fewer buckets of each") {
  constexpr CpuId kCpus = 256;
  constexpr std::size_t kBucketBytes = 14;
  emit::CpuOverview cpus(1u << 15);
  for (CpuId cpu = 0; cpu < kCpus; cpu++) {
    add(cpus, cpu, SpanKind::kUser, 0, Ns{1024} * ((1 << 15) - 1));
  }
  emit::Column out;
  cpus.put_buckets(out);
  CHECK(out.bytes().size() < 2100 * kBucketBytes * kCpus);
}

TEST_CASE("JSON text escapes what JSON and scripts cannot hold") {
  JsonText json;
  json.begin_object().key("a\"b").value("x\\\n\xff").end_object();
  CHECK(json.text() == "{\"a\\\"b\":\"x\\\\\\u000a\\ufffd\"}");
}
