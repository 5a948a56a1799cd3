// SPDX-License-Identifier: BSD-3-Clause
// Our own pages read back: every field of every span, the trace's facts, and damage of all kinds.
#include "support/own_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/mapped_file.h"
#include "emit/page/cpu_sums.h"
#include "emit/span_json/span_json.h"
#include "emit/text/call_text.h"
#include "emit/text/info_text.h"
#include "format/name_entries.h"
#include "kutrace/abi.h"
#include "model/call.h"
#include "read/page/cpu_sums.h"
#include "read/page/page_reader.h"
#include "reports/law_check.h"
#include "spans/rebuild.h"
#include "support/event_numbers.h"
#include "support/lines.h"
#include "support/span_generator.h"
#include "support/trace_builder.h"
#include "support/truth_generator.h"

namespace kutrace::test {
namespace {

class Collect : public SpanSink {
 public:
  void push(const Span& span) override {
    spans.push_back(span);
    law.push(span);
  }
  void end(TraceInfo& info) override { law.end(info); }
  void life(const ThreadLife& life) override { law.life(life); }
  void call(const Call& call) override {
    law.call(call);
    ids.push_back(call.id);
    parents.push_back(call.parent);
    // What a page does not hold: numbers of calls, and what interrupts return.
    Call held = call;
    held.id = held.parent = CallId::kNone;
    const bool signal = held.kind == SpanKind::kTrap && held.result.value != 0;
    held.has_result = held.has_result && (held.kind == SpanKind::kSyscall || signal);
    calls.push_back(held);
    waits.emplace_back(call.waits.begin(), call.waits.end());
  }
  // A line for each, in order.
  Lines call_lines(const NameTable& names) const {
    Lines lines;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      Call call = calls[i];
      call.waits = waits[i];
      lines.push_back(emit::call_line(call, names));
    }
    std::ranges::sort(lines);
    return lines;
  }
  // A line for each piece and wait that belongs to a call, and each call that was made in another,
  // of those that took time: with the call around it.
  Lines nesting_lines() const {
    std::map<CallId, std::string> texts;
    const auto text_of = [](const Call& call) {
      return fmt::format("{} {} {:x}", call.begin, call.end, call.event);
    };
    for (std::size_t i = 0; i < calls.size(); ++i) texts[ids[i]] = text_of(calls[i]);
    Lines lines;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].duration() == 0 || parents[i] == CallId::kNone) continue;
      lines.push_back(fmt::format("call {} in {}", text_of(calls[i]), texts[parents[i]]));
    }
    for (const Span& span : spans) {
      if (span.call == CallId::kNone) continue;
      lines.push_back(fmt::format("span {} {} {} {} in {}", span.start, span.duration, span.cpu,
                                  span.pid, texts[span.call]));
    }
    std::ranges::sort(lines);
    return lines;
  }
  std::vector<Span> spans;
  std::vector<Call> calls;
  std::vector<CallId> ids;
  std::vector<CallId> parents;
  std::vector<std::vector<WaitTime>> waits;
  reports::LawCheck law;
};

auto fields(const Span& span) {
  // Only system calls have results; a folded interrupt's is 0.
  const bool has_result =
      span.has_result && (span.kind == SpanKind::kSyscall || span.result.value != 0);
  return std::tuple(span.start, span.duration, span.cpu, span.kind, span.event, span.pid,
                    span.other, span.arg, span.rpc, span.name, span.result, has_result, span.ipc,
                    span.value);
}

std::vector<Span> sorted(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return fields(a) < fields(b); });
  return spans;
}

Lines info_lines(const TraceInfo& info, const NameTable& names) {
  Lines lines;
  emit::info_text(info, names, [&](std::string_view line) { lines.emplace_back(line); });
  return lines;
}

// A trace, its page and its container.
struct Made {
  NameTable names;
  Collect spans;
  TraceInfo info;
  std::string page;
  std::string container;
};

template <typename Replay>
void make(Made& made, Replay replay) {
  emit::PageWriter page({.title = "made"});
  emit::PageWriter container({.title = "made", .container = true});
  BothSinks writers(page, container);
  BothSinks all(made.spans, writers);
  made.info = replay(made.names, all);
  made.page = finished_page(page, made.info, made.names);
  made.container = finished_page(container, made.info, made.names);
}

void make_from_file(Made& made, const RawFile& file) {
  make(made, [&](NameTable& names, SpanSink& sink) {
    auto info = spans::rebuild(file, names, sink);
    REQUIRE(info);
    return std::move(*info);
  });
}

void make_from_truth(Made& made, const TruthOptions& options) {
  const auto file = RawFile::open(MappedFile::from_bytes(generate_truth(options).file, "made"));
  REQUIRE(file);
  make_from_file(made, *file);
}

void make_noisy(Made& made, std::uint64_t seed) {
  TruthOptions options = random_options(seed);
  options.noise = true;
  options.wide = false;  // what a page has no room for
  make_from_truth(made, options);
}

void make_machine(Made& made, std::uint64_t spans) {
  make(made, [&](NameTable& names, SpanSink& sink) {
    return generate_spans({.spans = spans}, names, sink);
  });
}

void must_read_back(Made& made, const std::string& bytes) {
  const auto page = read::PageSpans::open(bytes, "made.html");
  if (!page) FAIL(describe(page.error()));
  CHECK(page->title() == "made");
  CHECK(page->begin() == made.info.begin);
  Collect back;
  const auto info = page->replay(made.names, back);
  if (!info) FAIL(describe(info.error()));
  CHECK(back.law.report().holds());
  CHECK(info_lines(*info, made.names) == info_lines(made.info, made.names));
  CHECK(back.call_lines(made.names) == made.spans.call_lines(made.names));
  CHECK(page->tells_nesting() == !made.spans.calls.empty());
  CHECK(back.nesting_lines() == made.spans.nesting_lines());
  const std::vector<Span> expected = sorted(made.spans.spans);
  const std::vector<Span> actual = sorted(std::move(back.spans));
  REQUIRE(actual.size() == expected.size());
  CHECK(std::equal(actual.begin(), actual.end(), expected.begin(),
                   [](const Span& a, const Span& b) { return fields(a) == fields(b); }));
}

TEST_CASE("every field of every span comes back out of a page, and the trace's facts") {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    TruthOptions options = random_options(seed);
    options.wide = false;
    options.noise = seed % 2 == 0;
    Made made;
    make_from_truth(made, options);
    INFO("seed " << seed);
    must_read_back(made, made.page);
    must_read_back(made, made.container);
  }
}

TEST_CASE("a loss that takes no time comes back") {
  TraceBuilder trace;
  trace.words_entry(kind::kLOSS, KUTRACE_LOSS_MISSED_RUN << 24 | 0, {kStart, kStart, 5});
  trace.cpu(0, 100, "worker").at(10, kWrite, 7).at(20, kWrite | kReturn, 3);
  Made made;
  make_from_file(made, trace.file(100));
  REQUIRE(made.info.losses.size() == 1);
  must_read_back(made, made.page);
  must_read_back(made, made.container);
}

TEST_CASE("a page of several slabs comes back, each CPU's spans in order") {
  Made made;
  make_machine(made, 400'000);
  CHECK(made.page.find("kutrace-slab-2") != std::string::npos);
  must_read_back(made, made.page);
  must_read_back(made, made.container);
}

TEST_CASE("a page that is made of a page has the same calls") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Made made;
    make_noisy(made, seed);
    REQUIRE(!made.spans.calls.empty());
    const auto page = read::PageSpans::open(made.container, "made.kux");
    REQUIRE(page);
    emit::PageWriter again({.title = "made"});
    const auto info = page->replay(made.names, again);
    REQUIRE(info);
    INFO("seed " << seed);
    must_read_back(made, finished_page(again, *info, made.names));
  }
}

TEST_CASE("a call that is interrupted for longer than a slab comes back whole") {
  constexpr EventNum kTimer = 0x5ec;
  constexpr Ticks kEnd = 800'000;
  TraceBuilder trace;
  trace.cpu(0, 100, "worker").at(10, kWrite, 7);
  for (Ticks at = 20; at + 10 < kEnd; at += 10) {
    if (at % 10'000 == 0) trace.new_block(at, 100);
    trace.at(at, kTimer).at(at + 4, kTimer | kReturn);
  }
  trace.at(kEnd, kWrite | kReturn, 3);
  const RawFile file = trace.file(kEnd + 100);
  Made made;
  make_from_file(made, file);
  CHECK(made.page.find("kutrace-slab-1") != std::string::npos);
  const auto is_write = [](const Call& call) { return call.event == kWrite; };
  CHECK(std::ranges::count_if(made.spans.calls, is_write) == 1);
  must_read_back(made, made.page);
  must_read_back(made, made.container);
}

// Gives each call a file of its own with a long name.
class LongNames : public SpanStage {
 public:
  static constexpr std::size_t kLength = std::size_t{1} << 20;
  LongNames(NameTable& names, SpanSink& next) : SpanStage(next), names_(names) {}
  void call(const Call& call) override {
    CallDetails details;
    details.file = names_.intern(fmt::format("{:0{}}", call.begin, kLength));
    Call with_file = call;
    with_file.details = &details;
    next().call(with_file);
  }

 private:
  NameTable& names_;
};

TEST_CASE("names of files come back that are longer than any slab") {
  constexpr Ticks kCalls = 34;
  TraceBuilder trace;
  trace.cpu(0, 10, "worker");
  for (Ticks i = 1; i <= kCalls; ++i) {
    trace.at(i * 10, kWrite, 7).at(i * 10 + 5, kWrite | kReturn, 3);
  }
  const RawFile file = trace.file(1000);
  Made made;
  make(made, [&](NameTable& names, SpanSink& sink) {
    LongNames long_names(names, sink);
    auto info = spans::rebuild(file, names, long_names);
    REQUIRE(info);
    return std::move(*info);
  });
  must_read_back(made, made.page);
  must_read_back(made, made.container);
}

// Rows of threads with this number, as the header has them: the text of each from its number on.
std::vector<std::string> thread_rows(const std::string& header, Pid pid) {
  const std::size_t begin = header.find("\"threads\":[");
  REQUIRE(begin != header.npos);
  const std::size_t end = header.find("]]", begin);
  const std::string start = fmt::format("[{},", pid);
  std::vector<std::string> rows;
  for (std::size_t at = header.find(start, begin); at < end; at = header.find(start, at + 1)) {
    rows.push_back(header.substr(at, header.find(']', at) - at));
  }
  return rows;
}

TEST_CASE("two threads that had one number in turn have two rows, in a page of a page, too") {
  constexpr EventNum kExit = 0x83c;
  TraceBuilder trace;
  const auto task = [&trace](Ticks at) {
    trace.words_at(at, kind::kTASK, 10, {0, std::uint64_t{20} << 32 | 10});
  };
  trace.cpu(0, 20, "parent");
  task(10);
  trace.at(12, ev::kUSERPID, 10).at(20, kExit).at(30, ev::kUSERPID, 20);
  task(50);
  trace.at(60, ev::kUSERPID, 10).at(70, kWrite, 1).at(80, kWrite | kReturn, 3);
  const RawFile file = trace.file(100);
  Made made;
  make_from_file(made, file);
  const std::vector<std::string> rows = thread_rows(header_of(made.container), 10);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].ends_with(",160,480,0"));
  CHECK(rows[1].ends_with(",800,1600,0"));
  CHECK(thread_rows(header_of(made.container), 20).size() == 1);
  must_read_back(made, made.container);
  const auto page = read::PageSpans::open(made.container, "made.kux");
  REQUIRE(page);
  NameTable names;
  emit::PageWriter writer({.title = "again", .container = true});
  const auto info = page->replay(names, writer);
  REQUIRE(info);
  const std::vector<std::string> again =
      thread_rows(header_of(finished_page(writer, *info, names)), 10);
  REQUIRE(again.size() == 2);
  CHECK(again[0].ends_with(",160,480,0"));
  CHECK(again[1].ends_with(",800,1600,0"));
}

TEST_CASE("of numbers that are too long for a page, it has the low bits") {
  constexpr std::uint64_t kArgument = 0x1234'5678'9abc'def0;
  const LooseEntry entry = wide_entry({5000, kArgument, 0x1'2345'0007});
  TraceBuilder trace;
  trace.cpu(0, 10).words_at(10, kind::kWIDE, entry.arg, entry.payload);
  trace.at(10, KUTRACE_UNKNOWN_CALL, 1);
  const LooseEntry returned = wide_entry({5000, std::nullopt, 0x1'2345'0007});
  trace.words_at(20, kind::kWIDE, returned.arg, returned.payload);
  trace.at(20, KUTRACE_UNKNOWN_CALL | kReturn, 7);
  const RawFile file = trace.file(100);
  Made made;
  make_from_file(made, file);
  REQUIRE(made.spans.calls.size() == 1);
  CHECK(made.spans.calls.front().event == syscall_event(5000));
  CHECK(made.spans.calls.front().arg == kArgument);
  const auto page = read::PageSpans::open(made.page, "made.html");
  REQUIRE(page);
  Collect back;
  REQUIRE(page->replay(made.names, back));
  REQUIRE(back.calls.size() == 1);
  CHECK(back.calls.front().event == KUTRACE_UNKNOWN_CALL);
  CHECK(back.calls.front().arg == (kArgument & 0xffff'ffff));
  CHECK(back.calls.front().result == low_result(7));
  CHECK(made.names.text(back.calls.front().name) == "sys#5000");
}

TEST_CASE("a call that succeeded has not failed in a page, whatever its low bits look like") {
  constexpr EventNum kInterrupt = 0x5ec;
  TraceBuilder trace;
  trace.cpu(0, 10, "worker");
  Ticks now = 10;
  const auto returns = [&](std::uint64_t result, bool interrupted) {
    trace.at(now, kWrite, 7);
    if (interrupted) trace.at(now + 1, kInterrupt).at(now + 2, kInterrupt | kReturn);
    const LooseEntry entry = wide_entry({std::nullopt, std::nullopt, result});
    trace.words_at(now + 5, kind::kWIDE, entry.arg, entry.payload);
    trace.at(now + 5, kWrite | kReturn, static_cast<std::uint16_t>(result));
    now += 10;
  };
  const auto failure = static_cast<std::uint64_t>(std::int64_t{-36});
  for (const std::uint64_t result : {std::uint64_t{65'500}, std::uint64_t{131'036}, failure}) {
    returns(result, false);
    returns(result, true);
  }
  const RawFile file = trace.file(now + 100);
  Made made;
  make_from_file(made, file);
  const auto results_of = [](const Collect& of) {
    std::vector<std::int64_t> results;
    for (const Call& call : of.calls) {
      if (call.kind == SpanKind::kSyscall) results.push_back(call.result.value);
    }
    return results;
  };
  CHECK(results_of(made.spans) ==
        std::vector<std::int64_t>{65'500, 65'500, 131'036, 131'036, -36, -36});
  std::string container = made.container;
  for (int again = 0; again < 2; ++again) {
    const auto page = read::PageSpans::open(container, "made.kux");
    REQUIRE(page);
    Collect back;
    emit::PageWriter converted({.title = "made", .container = true});
    BothSinks both(back, converted);
    const auto info = page->replay(made.names, both);
    REQUIRE(info);
    CHECK(results_of(back) == std::vector<std::int64_t>{65'500, 65'500, 65'500, 65'500, -36, -36});
    container = finished_page(converted, *info, made.names);
  }
}

Result<read::PageSpans> opened(const MappedFile& file) {
  auto page = read::PageSpans::open(
      {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, file.name());
  if (!page) FAIL(describe(page.error()));
  return page;
}

// Replays it, and returns the page that is made of it meanwhile.
std::string made_again(const read::PageSpans& page, NameTable& names, Collect& back) {
  emit::PageWriter converted({.title = "made"});
  BothSinks both(back, converted);
  const auto info = page.replay(names, both);
  REQUIRE(info);
  return finished_page(converted, *info, names);
}

TEST_CASE("a container of the format before calls still opens") {
  const auto file = MappedFile::open(KUTRACE_TEST_PAGES "/format2.kux");
  REQUIRE(file);
  const auto page = opened(*file);
  NameTable names;
  Collect back;
  const std::string text = made_again(*page, names, back);
  CHECK(back.spans.size() == 535);
  CHECK(back.calls.empty());
  CHECK(back.law.report().holds());
  const auto again = read::PageSpans::open(text, "made.html");
  REQUIRE(again);
  Collect twice;
  REQUIRE(again->replay(names, twice));
  CHECK(twice.spans.size() == back.spans.size());
  CHECK(twice.calls.empty());
}

TEST_CASE("a container that does not tell which call lay in which still opens") {
  const auto file = MappedFile::open(KUTRACE_TEST_PAGES "/format3.kux");
  REQUIRE(file);
  const auto page = opened(*file);
  CHECK_FALSE(page->tells_lives());
  CHECK_FALSE(page->tells_nesting());
  NameTable names;
  Collect back;
  const std::string text = made_again(*page, names, back);
  CHECK(back.calls.size() == 76);
  CHECK(std::ranges::all_of(back.parents, [](CallId id) { return id == CallId::kNone; }));
  // Nor does a page that is made of it, which has the same calls.
  const auto again = read::PageSpans::open(text, "made.html");
  REQUIRE(again);
  CHECK(again->tells_lives());
  CHECK_FALSE(again->tells_nesting());
  Collect twice;
  REQUIRE(again->replay(names, twice));
  CHECK(twice.call_lines(names) == back.call_lines(names));
}

// A call, or one piece of it, on CPU 0 of thread 10.
Call call_from(std::uint32_t id, EventNum event, Ns begin, Ns end, Ns own, std::uint32_t pieces) {
  Call call;
  call.id = CallId{id};
  call.slot = id;
  call.thread = ThreadId{1};
  call.pid = 10;
  call.cpu = 0;
  call.event = event;
  call.begin = begin;
  call.end = end;
  call.own = call.on_cpu = own;
  call.pieces = pieces;
  return call;
}

Span piece_of(const Call& call, Ns begin, Ns end) {
  Span span;
  span.start = begin;
  span.duration = end - begin;
  span.cpu = 0;
  span.pid = call.pid;
  span.thread = call.thread;
  span.event = call.event;
  span.call = call.id;
  span.call_slot = call.slot;
  span.kind = call.kind;
  return span;
}

// The second call begins and ends while the first one goes on; or the first goes on meanwhile.
void make_two_calls(Made& made, bool contradict) {
  make(made, [&](NameTable&, SpanSink& sink) {
    TraceInfo info;
    info.end = 400;
    info.cpus = {0};
    sink.begin(info);
    const Call first = call_from(1, kWrite, 0, 400, 200, 2);
    Call second = call_from(2, kFault, 100, 300, 200, contradict ? 2 : 1);
    if (!contradict) second.parent = first.id, second.parent_slot = first.slot;
    sink.push(piece_of(first, 0, 100));
    sink.push(piece_of(second, 100, contradict ? 200 : 300));
    if (contradict) sink.push(piece_of(first, 200, 300));
    if (contradict) sink.push(piece_of(second, 300, 400));
    if (contradict) second.end = 400;
    sink.call(second);
    if (!contradict) sink.push(piece_of(first, 300, 400));
    Call whole = first;
    whole.on_cpu = contradict ? 200 : 400;
    sink.call(whole);
    sink.end(info);
    return info;
  });
}

TEST_CASE("a page says that it does not tell which call lay in which where these contradict") {
  for (const bool contradict : {false, true}) {
    Made made;
    make_two_calls(made, contradict);
    const auto page = read::PageSpans::open(made.container, "made.kux");
    REQUIRE(page);
    CHECK(page->tells_nesting() == !contradict);
    Collect back;
    REQUIRE(page->replay(made.names, back));
    CHECK(back.call_lines(made.names) == made.spans.call_lines(made.names));
    const auto has_parent = [](CallId id) { return id != CallId::kNone; };
    CHECK(std::ranges::count_if(back.parents, has_parent) == (contradict ? 0 : 1));
  }
}

std::string json_of(const std::vector<Span>& spans, const TraceInfo& info, const NameTable& names) {
  emit::SpanJson json;
  for (const Span& span : spans) json.push(span);
  std::string text;
  REQUIRE(json.write(info, names, "t", [&](std::string_view piece) { text += piece; }));
  return text;
}

TEST_CASE("span JSON from the trace and from its page is the same, byte for byte") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Made made;
    make_noisy(made, seed);
    const auto page = read::PageSpans::open(made.page, "made.html");
    REQUIRE(page);
    NameTable names;  // with other numbers than the trace's
    Collect back;
    const auto info = page->replay(names, back);
    REQUIRE(info);
    CHECK(json_of(back.spans, *info, names) == json_of(made.spans.spans, made.info, made.names));
  }
}

TEST_CASE("views and notes of a saved copy are kept as a fact") {
  Made made;
  make_machine(made, 1000);
  const std::string saved = R"({"views":[],"notes":[{"time":1,"text":"here"}]})";
  const std::string copy = "<html><script type=\"application/json\" id=\"kutrace-saved\">" + saved +
                           "</script>" + made.page;
  const auto page = read::PageSpans::open(copy, "made.html");
  REQUIRE(page);
  Collect back;
  const auto info = page->replay(made.names, back);
  REQUIRE(info);
  CHECK(info->facts.get(fact::kSaved) == saved);
}

// ---- damage ---------------------------------------------------------------------------------

// An error that says enough, or the whole trace.
void must_refuse_or_be_whole(Made& made, const std::string& bytes, bool may_be_whole) {
  const auto check = [](const Error& error) {
    CHECK(error.kind == ErrorKind::kInput);
    CHECK(!error.sentence.empty());
    CHECK(error.file == "made.html");
    CHECK(error.byte.has_value());
    CHECK(!error.hint.empty());
  };
  const auto page = read::PageSpans::open(bytes, "made.html");
  if (!page) return check(page.error());
  Collect back;
  const auto info = page->replay(made.names, back);
  if (!info) return check(info.error());
  CHECK(may_be_whole);
  CHECK(back.spans.size() == made.spans.spans.size());
  CHECK(back.law.report().holds());
}

TEST_CASE("a page or container that is cut anywhere is refused") {
  Made made;
  make_machine(made, 3000);
  for (const std::string* file : {&made.page, &made.container}) {
    const bool page = file == &made.page;
    const std::size_t end =
        page ? file->rfind(kPageBlockEnd, file->rfind(kPageBlockEnd) - 1) : file->size();
    const std::size_t first = page ? file->find(kPageBlock) + 100 : kContainerHead - 1;
    for (std::size_t length = first; length < end; length += 1 + length % 97) {
      INFO("cut at " << length << " of " << file->size());
      must_refuse_or_be_whole(made, file->substr(0, length), false);
    }
  }
}

TEST_CASE("a flipped bit is found, wherever it matters") {
  Made made;
  make_machine(made, 3000);
  for (const std::string* file : {&made.page, &made.container}) {
    for (std::size_t at = 0; at < file->size(); at += 1 + at % 31) {
      std::string flipped = *file;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
      INFO("bit " << at % 8 << " of byte " << at);
      // What stands between blocks may be anything; the overview is not read.
      must_refuse_or_be_whole(made, flipped, true);
    }
  }
}

// The header with the number behind the first `key` replaced.
std::string with_number(std::string header, const std::string& key, const std::string& number) {
  const std::size_t at = header.rfind("\"" + key + "\":") + key.size() + 3;
  REQUIRE(at < header.size());
  return header.replace(at, header.find_first_not_of("-0123456789", at) - at, number);
}

TEST_CASE("sizes that lie are refused without believing them") {
  Made made;
  make_machine(made, 3000);
  const std::string header = header_of(made.container);
  must_read_back(made, with_header(made.container, header));
  for (const char* key : {"packed", "raw", "crc"}) {
    for (const char* number :
         {"0", "1", "4294967295", "4294967296", "-1", "99999999999999999999"}) {
      INFO(key << " " << number);
      must_refuse_or_be_whole(made, with_header(made.container, with_number(header, key, number)),
                              false);
    }
  }
}

TEST_CASE("a header that contradicts itself or the spans is refused") {
  Made made;
  make_machine(made, 3000);
  const std::string header = header_of(made.container);
  const auto refused = [&](const std::string& changed) {
    must_refuse_or_be_whole(made, with_header(made.container, changed), false);
  };
  for (const char* key : {"begin", "end"}) {
    for (const char* number : {"1", "-9223372036854775808", "9223372036854775807"}) {
      INFO(key << " " << number);
      refused(with_number(header, key, number));
    }
  }
  refused(with_number(header, "format", "4"));
  for (const char* table : {"\"kinds\":[", "\"threads\":[", "\"names\":[", "\"cpus\":["}) {
    const std::size_t from = header.find(table) + std::string(table).size();
    std::string emptied = header;
    emptied.erase(from, header.find(table[1] == 'k' || table[1] == 't' ? "]]" : "]", from) - from +
                            (table[1] == 'k' || table[1] == 't' ? 1 : 0));
    INFO("without " << table);
    refused(emptied);
  }
}

}  // namespace
TEST_CASE("sums of CPUs are read back, and torn ones refused") {
  emit::CpuSums sums;
  const auto add = [&sums](CpuId cpu, KindIndex kind, Ns time) {
    sums.of_cpu(cpu, kind + std::size_t{1})[kind].add(time);
  };
  for (const Ns time : {40, 7, 300}) add(2, 5, time);
  add(2, 0, 0);
  add(7, 3, 1'000'000'000'000);
  const emit::Column column = sums.encode();
  const std::vector<std::uint8_t> bytes(column.bytes().begin(), column.bytes().end());
  std::vector<SpanSlabs::CpuSums> read;
  REQUIRE(read::read_cpu_sums(bytes, 6, read));
  REQUIRE(read.size() == 3);
  CHECK((read[0].cpu == 2 && read[0].kind == 0 && read[0].sums.spans == 1));
  CHECK((read[1].cpu == 2 && read[1].kind == 5 && read[1].sums.spans == 3));
  CHECK((read[1].sums.total == 347 && read[1].sums.shortest == 7 && read[1].sums.longest == 300));
  CHECK((read[2].cpu == 7 && read[2].kind == 3 && read[2].sums.total == 1'000'000'000'000));
  const auto is_refused = [](std::span<const std::uint8_t> torn, std::size_t kinds) {
    std::vector<SpanSlabs::CpuSums> none;
    return !read::read_cpu_sums(torn, kinds, none);
  };
  CHECK(is_refused(bytes, 5));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK(is_refused(std::span(bytes).first(size), 6));
  }
  std::vector<std::uint8_t> more = bytes;
  more.push_back(0);
  CHECK(is_refused(more, 6));
}

TEST_CASE("where CPUs times kinds are many there are no sums of CPUs") {
  emit::CpuSums sums;
  for (CpuId cpu = 0; cpu < 64; ++cpu) sums.of_cpu(cpu, 1024)[1023].add(1);
  CHECK_FALSE(sums.too_many());
  sums.of_cpu(64, 1)[0].add(1);
  CHECK(sums.too_many());
}

}  // namespace kutrace::test
