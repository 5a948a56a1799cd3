// SPDX-License-Identifier: BSD-3-Clause
// The page as text: safe encoding, title, slots, what the overview may not lose.
#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
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

emit::SlabSpan span_of(CpuId cpu, SpanKind what, Ns start, Ns duration) {
  emit::SlabSpan span;
  span.cpu = cpu;
  span.what = what;
  span.start = start;
  span.duration = duration;
  return span;
}

void add(emit::CpuOverview& cpus, const emit::SlabSpan& span) {
  cpus.expect(span.cpu, 1);
  cpus.add(span);
}

void add(emit::Overview& threads, emit::SlabSpan span, ThreadIndex thread) {
  span.thread = thread;
  threads.add(span);
}

TEST_CASE("the overview keeps a short interrupt within a long idle") {
  emit::CpuOverview cpus(16);
  emit::Overview overview(16);
  const emit::SlabSpan idle = span_of(0, SpanKind::kIdle, 0, 1'000'000'000);
  add(cpus, idle);
  add(overview, idle, kIdleThread);
  const emit::SlabSpan irq = span_of(0, SpanKind::kIrq, idle.duration, 1);
  add(cpus, irq);
  add(overview, irq, 2);
  overview.finish();
  cpus.shrink(1);
  overview.shrink(1);
  CHECK(overview.total(kIdleThread).kernel == idle.duration);
  CHECK(overview.total(2).kernel == 1);
  CHECK(overview.total(2).spans == 1);
  const emit::Column column = overview.encode(cpus, idle.duration + 1);
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
  cpus.begin_at(-kFar);
  emit::SlabOverlay wait;
  wait.start = -kFar;
  wait.thread = 2;
  wait.reason = 1;
  for (const Ns duration : {Ns{1000}, 2 * kFar, 2 * kFar + kFar - 1000}) {
    const emit::SlabSpan span = span_of(0, SpanKind::kUser, -kFar, duration);
    add(cpus, span);
    add(overview, span, 2);
    overview.finish();
    wait.duration = duration;
    overview.add_wait(wait);
  }
  cpus.shrink(1);
  overview.shrink(1);
  CHECK(overview.total(2).user == std::numeric_limits<Ns>::max());  // five times kFar
  CHECK(overview.encode(cpus, kFar).bytes().size() < 10'000);
}

TEST_CASE("a thread's sums are the same however its spans fall into slices") {
  emit::Overview overview(64);
  Ns user = 0;
  Ns kernel = 0;
  Ns now = 5;
  for (unsigned i = 0; i < 3000; ++i) {
    const Ns duration = i % 7 * 300 + i % 11;
    const bool is_kernel = i % 3 == 0;
    add(overview,
        span_of(i / 100 % 2, is_kernel ? SpanKind::kSyscall : SpanKind::kUser, now, duration), 2);
    (is_kernel ? kernel : user) += duration;
    now += duration;
  }
  overview.finish();
  CHECK(overview.total(2).user == user);
  CHECK(overview.total(2).kernel == kernel);
  CHECK(overview.total(2).spans == 3000);
  CHECK(overview.total(77).spans == 0);
}

TEST_CASE("what began before the overview counts from its begin on") {
  emit::CpuOverview cpus(16);
  cpus.begin_at(1'000'000'000'000);
  add(cpus, span_of(0, SpanKind::kUser, 0, 1'000'000'001'000));
  emit::Column out;
  cpus.put_buckets(out);
  CHECK(out.bytes().size() < 100);
}

TEST_CASE("the overview of many threads keeps few slices of each, however often they run") {
  constexpr std::size_t kThreads = 40'000;
  constexpr std::size_t kTimesEach = 40;
  constexpr std::size_t kSliceBytes = 7;
  emit::Overview overview(1u << 12);
  for (std::size_t i = 0; i < kThreads * kTimesEach; i++) {
    add(overview, span_of(0, SpanKind::kUser, static_cast<Ns>(i) * 1000, 1000),
        static_cast<ThreadIndex>(2 + i % kThreads));
  }
  overview.finish();
  CHECK(overview.encode(emit::CpuOverview(16), 0).bytes().size() < 16 * kSliceBytes * kThreads);
}

TEST_CASE("the overview of many CPUs keeps fewer buckets of each") {
  constexpr CpuId kCpus = 256;
  constexpr std::size_t kBucketBytes = 14;
  emit::CpuOverview cpus(1u << 15);
  for (CpuId cpu = 0; cpu < kCpus; cpu++) {
    add(cpus, span_of(cpu, SpanKind::kUser, 0, Ns{1024} * ((1 << 15) - 1)));
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
