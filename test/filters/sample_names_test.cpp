// SPDX-License-Identifier: BSD-3-Clause
// Samples have the names of what was mapped where they hit, at their time and in their process.
#include <catch2/catch.hpp>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "filters/name_samples.h"
#include "filters/sampled_maps.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "raw/raw_cut.h"
#include "spans/rebuild.h"
#include "support/lines.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"
#include "timeline/trace_layout.h"

namespace kutrace::test {
namespace {

constexpr std::uint64_t kEverything = ~std::uint64_t{0};
constexpr std::uint64_t kKernel = 0xffff'ffff'8100'0000;

class CodeTrace {
 public:
  TraceBuilder builder;

  void map(const MapRecord& map) { text(kind::kMAP, maps_++, record_text(map)); }
  void symbol(const SymbolRecord& symbol) { text(kind::kSYMBOL, symbols_++, record_text(symbol)); }
  void sample(Ticks time, std::uint64_t pc) {
    const EventNum event = is_kernel_address(pc) ? ev::kPC_KERNEL : ev::kPC_USER;
    builder.words_at(time, event, 0, {pc});
  }

 private:
  void text(EventNum kind, std::uint32_t serial, const std::string& text) {
    for (std::uint32_t chunk = 0; chunk * KUTRACE_NAME_BYTES < text.size(); ++chunk) {
      builder.name(kind, serial << 8 | chunk,
                   std::string_view(text).substr(std::size_t{chunk} * KUTRACE_NAME_BYTES,
                                                 KUTRACE_NAME_BYTES));
    }
  }

  std::uint32_t maps_ = 0;
  std::uint32_t symbols_ = 0;
};

Lines names_of(const RawFile& file) {
  Replay r;
  replay(file, r);
  Lines lines;
  for (const Span& span : r.spans)
    if (span.kind == SpanKind::kSample) lines.push_back(r.names.text(span.name));
  return lines;
}

RawFile opened(const std::string& bytes) {
  std::vector<std::byte> copy(bytes.size());
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  auto file = RawFile::open(MappedFile::from_bytes(std::move(copy), "made"));
  if (!file) throw std::runtime_error(describe(file.error()));
  return std::move(*file);
}

// Thread 11 of process 10 runs one program, then another at the same addresses.
CodeTrace two_programs() {
  CodeTrace t;
  t.builder.task(11, 10, 0);
  t.map({10, 0, 0x1000, 0x5000, 0x1000, "aa", "/bin/one"});
  t.symbol({10, 0, 0x1100, 0x1200, "one_work"});
  t.map({10, kStart + 500, 0, kEverything, 0, "", ""});
  t.map({10, kStart + 500, 0x1000, 0x2000, 0, "bb", "/bin/two"});
  t.symbol({10, kStart + 500, 0x1180, 0x1300, "two_work(int)"});
  t.symbol({0, 0, kKernel, kKernel + 0x100, "do_it"});
  t.builder.cpu(0, 11, "worker").at(0, ev::kUSERPID, 11);
  t.sample(100, 0x1150);
  t.sample(200, 0x1250);
  t.sample(300, kKernel + 0x20);
  t.sample(400, 0x9999);
  t.sample(600, 0x1150);
  t.sample(700, 0x1190);
  t.sample(800, 0x4000);
  return t;
}

const Lines kTwoPrograms{"one_work", "[one]", "do_it", "", "[two]", "two_work(int)", ""};

}  // namespace

TEST_CASE("samples are named by program, time and process") {
  CodeTrace t = two_programs();
  CHECK(names_of(t.builder.file(1000)) == kTwoPrograms);
}

TEST_CASE("a cut, a copy with more symbols and a join keep the names") {
  CodeTrace t = two_programs();
  const RawFile file = t.builder.file(1000);
  std::string bytes;
  const raw::RawOutput keep = [&](std::string_view piece) { return bytes += piece, true; };
  REQUIRE(raw::cut_raw(file, {150 * 16, 650 * 16}, {}, keep));
  CHECK(names_of(opened(bytes)) == Lines(kTwoPrograms.begin() + 1, kTwoPrograms.begin() + 5));

  bytes.clear();
  timeline::CodeRecords more;
  more.symbols.push_back({10, 0, 0x1200, 0x1280, "more"});
  more.maps.push_back({10, 0, 0x9000, 0xa000, 0, "", "/lib/late.so"});
  REQUIRE(raw::name_code_raw(file, more, keep));
  CHECK(names_of(opened(bytes)) ==
        Lines{"one_work", "more", "do_it", "[late.so]", "[two]", "two_work(int)", ""});

  bytes.clear();
  REQUIRE(raw::cut_raw(file, {0, 350 * 16}, {}, keep));
  const std::string front = std::exchange(bytes, {});
  REQUIRE(raw::cut_raw(file, {450 * 16, 900 * 16}, {}, keep));
  std::vector<RawFile> parts;
  parts.push_back(opened(front));
  parts.push_back(opened(bytes));
  bytes.clear();
  REQUIRE(raw::concat_raw(parts, keep));
  CHECK(names_of(opened(bytes)) ==
        Lines{"one_work", "[one]", "do_it", "[two]", "two_work(int)", ""});
}

TEST_CASE("samples are counted by the mapping that held at their time") {
  CodeTrace t = two_programs();
  const RawFile file = t.builder.file(1000);
  const auto layout = timeline::lay_out(file);
  REQUIRE(layout);
  const timeline::CodeRecords code = timeline::recorded_code(*layout);
  REQUIRE(code.maps.size() == 3);
  filters::SampledMaps sampled(code.maps, layout->clock);
  NameTable names;
  REQUIRE(spans::rebuild(file, names, sampled));
  CHECK(sampled.samples() == 7);
  CHECK(sampled.nameless_kernel().empty());
  std::uint64_t unmapped = 0;
  for (const auto& [process, counters] : sampled.unmapped()) {
    for (const auto& [counter, samples] : counters) unmapped += samples;
  }
  CHECK(unmapped == 2);
  CHECK(sampled.by_map()[0] == filters::SampledMaps::Counters{{0x1150, 1}, {0x1250, 1}});
  CHECK(sampled.by_map()[1].empty());
  CHECK(sampled.by_map()[2] == filters::SampledMaps::Counters{{0x1150, 1}, {0x1190, 1}});
}

TEST_CASE("only samples are renamed, and only if something is known") {
  struct Keep : SpanSink {
    std::vector<Span> spans;
    void push(const Span& span) override { spans.push_back(span); }
  } kept;
  NameTable names;
  SampleNames found(names);
  found.add(SymbolRecord{7, 0, 0x100, 0x200, "known"}, TraceClock());
  filters::NameSamples filter(found, kept);
  Span span;
  span.kind = SpanKind::kSample;
  span.other = 7;
  span.value = 0x150;
  filter.push(span);
  span.value = 0x250;
  span.name = names.intern("before");
  filter.push(span);
  span.kind = SpanKind::kUser;
  span.value = 0x150;
  filter.push(span);
  REQUIRE(kept.spans.size() == 3);
  CHECK(names.text(kept.spans[0].name) == "known");
  CHECK(names.text(kept.spans[1].name) == "before");
  CHECK(names.text(kept.spans[2].name) == "before");
}

}  // namespace kutrace::test
