// SPDX-License-Identifier: BSD-3-Clause
// A trace that is read while it is written, beside the same trace read when it is whole; and
// triggers over latencies that were planted.
#include "live/live_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "format/event_table.h"
#include "live/trigger_watch.h"
#include "record/blocks/block_walk.h"
#include "spans/rebuild.h"
#include "support/event_numbers.h"
#include "support/lines.h"
#include "support/temporary_file.h"
#include "support/trace_builder.h"
#include "support/trace_generator.h"
#include "timeline/trace_layout.h"

namespace kutrace::test {
namespace {

using live::Firing;
using live::LiveStream;
using live::Trigger;

// What a stream tells that triggers and tables stand on: calls, waits, what CPUs did.
struct Told : SpanSink {
  explicit Told(const NameTable& table) : names(table) {}
  void push(const Span& span) override {
    if (span.kind == SpanKind::kWait) tell("wait", span.name, span.pid, span.start, span.duration);
    if (is_execution(span.kind) && span.duration != 0)
      tell("cpu", span.name, span.pid, span.start, span.duration);
  }
  void call(const Call& call) override {
    if (call.begin_inferred || call.end_inferred) return;
    tell("call", call.name, call.pid, call.begin, call.duration());
  }
  void tell(const char* what, NameId name, Pid pid, Ns begin, Ns length) {
    all.push_back(fmt::format("{} {} {} {} {}", begin, length, what, names.text(name), pid));
  }
  const NameTable& names;
  Lines all;
};

// What is open when a stream is closed ends there; a file says when, a stream goes by its events.
void leave_out_open(Lines& lines, Ns end) {
  std::erase_if(lines, [&](const std::string& line) {
    std::istringstream numbers(line);
    Ns begin = 0;
    Ns length = 0;
    numbers >> begin >> length;
    return begin + length >= end;
  });
}

// Tells somebody else, who outlives it.
struct Teller : Told {
  Teller(const NameTable& table, Told& to) : Told(table), told(to) {}
  ~Teller() override { told.all.insert(told.all.end(), all.begin(), all.end()); }
  Told& told;
};

// Blocks of a file as a source hands them over: at each moment so much is written.
class Writing {
 public:
  explicit Writing(const RawFile& file) : layout_(timeline::lay_out(file).value()) {
    for (const timeline::CpuBlocks& cpu : layout_.cpus) {
      for (const timeline::PlacedBlock& placed : cpu.blocks) {
        const Block& block = placed.block;
        record::FinishedBlock whole{block.number, cpu.cpu, 0,
                                    reinterpret_cast<const std::uint64_t*>(block.words), nullptr};
        whole.end = record::end_of_written(whole, KUTRACE_HEADER_WORDS);
        blocks_[cpu.cpu].push_back(whole);
      }
    }
  }

  live::LiveOptions options(const RawFile& file, live::MakeSink make_sink) const {
    live::LiveOptions options;
    options.start = file.start().counter;
    options.ns_per_tick = layout_.clock.ns_per_tick();
    options.wall_usec = layout_.wall_usec;
    for (const timeline::CpuBlocks& cpu : layout_.cpus) options.cpus.push_back(cpu.cpu);
    options.names = [this] {
      NameEntries names;
      for (const decode::Entry& entry : layout_.preamble) {
        std::vector<std::uint64_t> payload;
        for (unsigned word = 0; word + 1 < entry.words; ++word)
          payload.push_back(entry.payload_word(word));
        names.add_words(entry.number, entry.arg, payload);
      }
      return names;
    };
    options.make_sink = std::move(make_sink);
    return options;
  }

  // All until `until`: what ended before is finished; one block of each CPU is open.
  void write(LiveStream& stream, Ticks until) {
    for (auto& [cpu, blocks] : blocks_) {
      std::size_t& next = next_[cpu];
      while (next + 1 < blocks.size() && blocks[next + 1].base() <= until)
        stream.add(blocks[next++], true);
      if (next >= blocks.size() || blocks[next].base() > until) continue;
      record::FinishedBlock open = blocks[next];
      std::vector<std::uint64_t>& copy = copies_[cpu][next];
      std::vector<std::uint64_t> part;
      open.end = record::cut_after(open, until, part);
      copy.resize(KUTRACE_BLOCK_WORDS);
      std::ranges::copy(part, copy.begin());
      open.words = copy.data();
      stream.add(open, false);
    }
  }
  void finish(LiveStream& stream) {
    for (auto& [cpu, blocks] : blocks_)
      for (std::size_t& next = next_[cpu]; next < blocks.size(); ++next)
        stream.add(blocks[next], true);
  }

 private:
  timeline::TraceLayout layout_;
  std::map<CpuId, std::vector<record::FinishedBlock>> blocks_;
  std::map<CpuId, std::size_t> next_;
  std::map<CpuId, std::map<std::size_t, std::vector<std::uint64_t>>> copies_;
};

// Reads it live in `rounds` steps of random lengths.
void read_live(const RawFile& file, const live::MakeSink& make_sink, int rounds,
               std::uint64_t weight, Ns overlap, std::uint64_t& lanes) {
  Writing writing(file);
  lanes = 0;  // each asks for one sink
  live::LiveOptions options = writing.options(file, [&](const live::LaneView& view) {
    ++lanes;
    return make_sink(view);
  });
  options.most_weight = weight;
  options.overlap = overlap;
  LiveStream stream(std::move(options));
  std::mt19937_64 random(7);
  std::vector<Ticks> moments;
  const Ticks length = file.stop().counter - file.start().counter;
  for (int i = 0; i < rounds; ++i) moments.push_back(file.start().counter + random() % length);
  std::ranges::sort(moments);
  // A return may be written into its call for a while: rounds are farther apart than that.
  constexpr Ticks kFoldedLater = 300;
  const auto is_close = [](Ticks one, Ticks next) { return next < one + kFoldedLater; };
  moments.erase(std::ranges::unique(moments, is_close).begin(), moments.end());
  Ticks known = file.start().counter;
  for (const Ticks moment : moments) {
    writing.write(stream, moment);
    stream.advance(known);
    known = moment;
  }
  writing.finish(stream);
  stream.advance(file.stop().counter);
  stream.close();
}

std::vector<Trigger> triggers_of(const std::vector<std::string>& texts) {
  std::vector<Trigger> triggers;
  for (const std::string& text : texts) triggers.push_back(live::parse_trigger(text).value());
  return triggers;
}

RawFile generated(const TemporaryFile& file, const TraceShape& shape) {
  REQUIRE(generate(shape, file.path()));
  return RawFile::open(MappedFile::open(file.path()).value()).value();
}

TEST_CASE("what is read live is what is read at the end", "[live]") {
  const TemporaryFile place("live.raw");
  for (const bool short_lived : {false, true}) {
    const RawFile file = generated(
        place, {.entries = 120'000, .cpus = 3, .threads = 40, .short_lived = short_lived});
    NameTable names;
    Told whole(names);
    REQUIRE(spans::rebuild(file, names, whole));
    Told live(names);
    std::uint64_t lanes = 0;
    read_live(
        file,
        [&](const live::LaneView& view) { return std::make_unique<Teller>(view.names, live); }, 300,
        ~0ull, 0, lanes);
    CHECK(lanes == 1);
    const Ns end = static_cast<Ns>(16 * (file.stop().counter - file.start().counter)) - 32;
    leave_out_open(whole.all, end);
    leave_out_open(live.all, end);
    std::ranges::sort(whole.all);
    std::ranges::sort(live.all);
    REQUIRE(whole.all.size() > 1000);
    Lines differ;  // a test that fails shows these alone
    std::ranges::set_symmetric_difference(whole.all, live.all, std::back_inserter(differ));
    differ.resize(std::min<std::size_t>(differ.size(), 20));
    CHECK(differ == Lines());
  }
}

std::string line_of(const std::string& what, Pid pid, Ns begin, Ns length) {
  return fmt::format("{:012} {} {} {}", begin, length, what, pid);
}

// Longer than any wait of the traces.
constexpr Ns kOverlap = 20'000'000;

Lines firings(const RawFile& file, const std::vector<Trigger>& triggers, std::uint64_t weight,
              std::uint64_t& lanes) {
  Lines fired;
  read_live(
      file,
      [&](const live::LaneView& view) {
        return std::make_unique<live::TriggerWatch>(triggers, view, [&](const Firing& firing) {
          if (!firing.goes_on)
            fired.push_back(line_of(firing.what, firing.pid, firing.begin, firing.length));
        });
      },
      200, weight, kOverlap, lanes);
  std::ranges::sort(fired);
  return fired;
}

TEST_CASE("however often a lane is followed by another, each trigger fires once", "[live]") {
  const TemporaryFile place("lanes.raw");
  const RawFile file =
      generated(place, {.entries = 200'000, .cpus = 2, .threads = 30, .short_lived = true});
  const std::vector<Trigger> triggers = triggers_of({"call:*>3us", "wait:*>20us", "delay>1us"});
  std::uint64_t lanes = 0;
  const auto once = firings(file, triggers, ~0ull, lanes);
  REQUIRE(lanes == 1);
  REQUIRE(once.size() > 50);
  const Lines often = firings(file, triggers, 300, lanes);
  Lines differ;
  std::ranges::set_symmetric_difference(once, often, std::back_inserter(differ));
  differ.resize(std::min<std::size_t>(differ.size(), 20));
  CHECK(differ == Lines());
  CHECK(often.size() == once.size());
  CHECK(lanes > 2);
}

constexpr EventNum kFsync = 0x800 + 74;

TraceBuilder planted_trace() {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, 74, "fsync").name(kind::kPID_NAME, 10, "writer");
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kPID_NAME, 20, "other");
  return b;
}

TEST_CASE("planted latencies fire, one for one, and nothing else does", "[live]") {
  TraceBuilder b = planted_trace();
  b.cpu(0, 10, "writer");
  Lines expected;
  constexpr Ticks kLimit = 1000;  // 16 us
  for (Ticks at = 100, length = 990; length <= 1010; at += 5000, ++length) {
    b.at(at, kFsync, 3).at(at + length, kFsync | ev::kReturnBit, 0);
    if (length > kLimit)
      expected.push_back(
          line_of("call fsync", 10, static_cast<Ns>(16 * at), static_cast<Ns>(16 * length)));
  }
  const RawFile file = b.file(200'000);
  std::uint64_t lanes = 0;
  CHECK(firings(file, triggers_of({"call:fs*>16us"}), ~0ull, lanes) == expected);
  CHECK(firings(file, triggers_of({"call:read>1ns"}), ~0ull, lanes).empty());
}

TEST_CASE("delays are of threads of a name, and exits of processes that failed", "[live]") {
  TraceBuilder b = planted_trace();
  b.cpu(0, 10, "writer").at(100, ev::kUSERPID, 20 | KUTRACE_SWITCH_RUNNABLE);
  b.at(1100, ev::kUSERPID, 10 | KUTRACE_SWITCH_RUNNABLE);
  b.at(1300, ev::kUSERPID, 20 | KUTRACE_SWITCH_BLOCKED);
  const RawFile file = b.file(3000);
  std::uint64_t lanes = 0;
  CHECK(firings(file, triggers_of({"delay>10us"}), ~0ull, lanes) ==
        Lines{line_of("wait for a CPU", 10, 1600, 16'000)});
  CHECK(firings(file, triggers_of({"delay:other>1us"}), ~0ull, lanes) ==
        Lines{line_of("wait for a CPU", 20, 17'600, 3200)});
  CHECK(firings(file, triggers_of({"delay:nobody>1us"}), ~0ull, lanes).empty());
}

TEST_CASE("of a process the last thread tells the status, once", "[live]") {
  constexpr Ticks kSecond = 62'500'000;
  TraceBuilder b = planted_trace();
  b.name(kind::kPID_NAME, 30, "threads");
  const auto ends = [&](Ticks at, std::uint64_t thread, std::uint64_t process, int status) {
    std::vector<std::uint64_t> words = {thread, process};
    if (status >= 0) words.push_back(static_cast<std::uint64_t>(status));
    b.words_at(at, kind::kPOINT, ev::kEXIT, words);
  };
  b.cpu(0, 10, "writer").at(50, ev::kUSERPID, 10);
  ends(100, 30, 30, -1);  // its first thread, while others go on
  ends(200, 32, 30, 3 << 8);
  ends(210, 31, 30, 3 << 8);  // at the same time
  ends(300, 20, 20, 0);
  ends(200 + 2 * kSecond, 30, 30, 9);  // another one of this number
  const RawFile file = b.file(3 * kSecond);
  std::uint64_t lanes = 0;
  CHECK(firings(file, triggers_of({"exit"}), ~0ull, lanes) ==
        Lines{line_of("exit", 30, 3200, 0), line_of("exit", 30, 2'000'003'200, 0)});
}

TEST_CASE("triggers switch on the groups that they need", "[live]") {
  const auto needs = [](const std::string& text) {
    return live::needed_group(live::parse_trigger(text).value());
  };
  CHECK(needs("call:fsync>1ms") == EventGroup::kSyscalls);
  CHECK(needs("mark:a>1ms") == EventGroup::kSyscalls);
  CHECK(needs("delay>1ms") == EventGroup::kWakeups);
  CHECK(needs("wait:disk>1ms") == EventGroup::kWakeups);
  CHECK(needs("exit") == EventGroup::kProcesses);
  CHECK(needs("load>1") == EventGroup::kAlways);
}

TEST_CASE("triggers are read, or it is said what is wrong with them", "[live]") {
  using live::TriggerKind;
  const auto parsed = [](const std::string& text) { return live::parse_trigger(text).value(); };
  CHECK(parsed("call:fsync>10ms").limit == 10'000'000);
  CHECK(parsed("call:fsync>10ms").question.name == "fsync");
  CHECK(parsed("mark:a>b>5ms").question.name == "a>b");
  CHECK(parsed("request:read..write>1s").question.until == "write");
  CHECK(parsed("wait:disk>50ms").reason == 'd');
  CHECK(parsed("wait:*>50ms").reason == 0);
  CHECK(parsed("delay:my:name>20us").pattern == "my:name");
  CHECK(parsed("psi:cpu>20%").level == 20);
  CHECK(parsed("load>8.5").level == 8.5);
  CHECK(parsed("exit").pattern == "*");
  CHECK(parsed("exit:make").pattern == "make");
  CHECK(parsed("log:a > b: c").pattern == "a > b: c");
  for (const char* const wrong : {"",
                                  ":",
                                  ">",
                                  "call",
                                  "call:",
                                  "call:fsync",
                                  "call:fsync>",
                                  "call:>1ms",
                                  "call:fsync>x",
                                  "call:fsync>-1ms",
                                  "request:read>1ms",
                                  "wait:nothing>1ms",
                                  "wait:ready>1ms",
                                  "delay",
                                  "delay:>1ms",
                                  "psi:cpu",
                                  "psi:disk>1%",
                                  "psi:cpu>x%",
                                  "psi:cpu>100%",
                                  "call:fsynk>10ms",
                                  "call:read>1ms>2ms",
                                  "call:re*>1ms>2ms",
                                  "request:read..wirte>1ms",
                                  "load",
                                  "load:1>2",
                                  "load>",
                                  "exit:",
                                  "exit>1",
                                  "log",
                                  "log:",
                                  "sleep>1ms"}) {
    CAPTURE(wrong);
    const Result<Trigger> trigger = live::parse_trigger(wrong);
    REQUIRE_FALSE(trigger);
    CHECK_FALSE(trigger.error().hint.empty());
  }
}

}  // namespace
}  // namespace kutrace::test
