// SPDX-License-Identifier: BSD-3-Clause
// Generated traces of several machines in one: the three laws hold over all of them, and each
// machine did what it does alone, though all have CPUs and threads of the same numbers.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <tuple>

#include "format/event_table.h"
#include "format/machine_fact.h"
#include "format/raw_file.h"
#include "kutrace/abi.h"
#include "model/names.h"
#include "raw/machine_numbers.h"
#include "reports/law_check.h"
#include "spans/rebuild.h"
#include "support/joined_machines.h"
#include "support/truth_generator.h"

namespace kutrace::test {
namespace {

constexpr std::uint64_t kSeeds = 40;

class Collect : public SpanSink {
 public:
  void begin(const TraceInfo& info) override { known = info; }
  void push(const Span& span) override { spans.push_back(span); }
  void call(const Call& call) override { calls.push_back(call); }
  void life(const ThreadLife& life) override { lives.push_back(life); }
  void end(TraceInfo& info) override { known = info; }

  TraceInfo known;
  std::vector<Span> spans;
  std::vector<Call> calls;
  std::vector<ThreadLife> lives;
};

RawFile file_of(std::vector<std::byte> bytes) {
  auto file = RawFile::open(MappedFile::from_bytes(std::move(bytes), "made"));
  REQUIRE(file);
  return std::move(*file);
}

constexpr Ns kTick = 16;

// Ticks of kX86 are whole nanoseconds.
RawFile machine_of(std::uint64_t seed, MachineKind kind = MachineKind::kX86) {
  TruthOptions options = random_options(seed);
  options.own = true;
  options.machine = kind;
  return file_of(generate_truth(options).file);
}

RawFile joined(const std::vector<Recorded>& recorded) {
  auto bytes = joined_bytes(recorded);
  REQUIRE(bytes);
  return file_of(std::move(*bytes));
}

// The numbers that a machine has among others, and how far its times are moved.
struct Place {
  CpuId first_cpu = 0;
  CpuId cpus = 0;
  Pid first_pid = 0;
  std::uint32_t first_idle_state = 0;
  Ns shift = 0;
};

bool is_of(const Span& span, const Place& place) {
  if (span.cpu == kNoCpu)
    return span.pid / kThreadsOfMachine == place.first_pid / kThreadsOfMachine;
  return span.cpu >= place.first_cpu && span.cpu < place.first_cpu + place.cpus;
}

std::uint64_t arg_of(const Span& span, const Place& place) {
  const bool is_point = span.kind == SpanKind::kPoint;
  if (is_arc(span.kind) || (is_point && span.event == ev::kSEND_IPI))
    return span.arg - place.first_cpu;
  if (is_point && span.event == ev::kRUNNABLE && span.arg != 0)
    return span.arg - static_cast<std::uint64_t>(place.first_pid);
  const bool has_idle_state =
      is_idle(span.kind) || span.kind == SpanKind::kCExit || (is_point && span.event == ev::kMWAIT);
  if (has_idle_state && span.arg >> KUTRACE_IDLE_STATE_SHIFT != 0)
    return span.arg - (std::uint64_t{place.first_idle_state} << KUTRACE_IDLE_STATE_SHIFT);
  return span.arg;
}

// Waits that no wakeup ended are taken to be for a CPU from the first wakeup of any machine on.
bool is_unexplained(const Span& span) {
  return span.kind == SpanKind::kWait && (span.event == ev::kWAIT_FIRST + ('z' - 'a') ||
                                          span.event == ev::kWAIT_FIRST + ('c' - 'a'));
}

// What a span is, with the numbers that its machine gave.
auto identity(const Span& span, const Place& place) {
  const auto pid = [&place](Pid moved) { return moved > 0 ? moved - place.first_pid : moved; };
  const CpuId cpu = span.cpu == kNoCpu ? kNoCpu : span.cpu - place.first_cpu;
  return std::tuple(span.start - place.shift, span.duration, cpu, pid(span.pid), pid(span.other),
                    span.kind, is_unexplained(span) ? 0 : span.event, arg_of(span, place),
                    span.result, span.has_result, is_unexplained(span) ? kNoName : span.name);
}

using Identity = decltype(identity(Span(), Place()));

std::string text_of(const Identity& span, const NameTable& names) {
  const auto& [start, duration, cpu, pid, other, kind, event, arg, result, has_result, name] = span;
  return fmt::format("{} {} cpu {} pid {} other {} kind {} {:x} arg {} result {} {}", start,
                     duration, cpu, pid, other, static_cast<int>(kind), event, arg,
                     has_result ? result.value : 0, names.text(name));
}

// All but what is said of the time around the recording.
std::vector<Identity> identities(const Collect& of, const Place& place) {
  std::vector<Identity> all;
  for (const Span& span : of.spans) {
    const bool is_around = span.kind == SpanKind::kLoss && span.arg == KUTRACE_LOSS_UNWRITTEN;
    if (is_of(span, place) && !is_around) all.push_back(identity(span, place));
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace

TEST_CASE("two machines in one trace keep the laws, and each does what it does alone") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    CAPTURE(seed);
    const RawFile first = machine_of(seed);
    const RawFile second = machine_of(seed + 1000);
    const Ns shift = (static_cast<Ns>(seed) * 771 - 12'500) * kTick;
    NameTable names;
    std::vector<Collect> alone(2);
    REQUIRE(spans::rebuild(first, names, alone[0]));
    REQUIRE(spans::rebuild(second, names, alone[1]));

    const RawFile both = joined({{&first, [](Ns time) { return time; }, "clock=own"},
                                 {&second, [shift](Ns time) { return time + shift; }, "clock=x"}});
    Collect together;
    reports::LawCheck law;
    BothSinks sinks(together, law);
    REQUIRE(spans::rebuild(both, names, sinks));

    const reports::LawReport report = law.report();
    CHECK(report.violations.first == std::vector<std::string>{});
    CHECK(report.cpus.size() == alone[0].known.cpus.size() + alone[1].known.cpus.size());
    CHECK(report.threads.count == alone[0].lives.size() + alone[1].lives.size());
    CHECK(report.calls_add_up);

    // The earlier of them begins at the same time as the whole.
    const Ns begin = std::min(alone[0].known.begin, alone[1].known.begin + shift);
    Place place;
    for (std::size_t i = 0; i < 2; ++i) {
      CAPTURE(i);
      place.first_cpu += place.cpus;
      place.cpus = alone[i].known.cpus.back() + 1;
      place.first_pid = static_cast<Pid>(i) * kThreadsOfMachine;
      place.first_idle_state = static_cast<std::uint32_t>(i) * raw::MachineNumbers::kIdleStates;
      place.shift = (i == 0 ? 0 : shift) - begin;
      const std::vector<Identity> as_alone =
          identities(alone[i], Place{.first_cpu = 0, .cpus = place.cpus});
      const std::vector<Identity> as_together = identities(together, place);
      REQUIRE(as_together.size() == as_alone.size());
      const auto [one, other] = std::ranges::mismatch(as_together, as_alone);
      if (one != as_together.end())
        FAIL_CHECK(text_of(*one, names) << ", alone " << text_of(*other, names));
    }
  }
}

TEST_CASE("machines whose clocks tick differently, drift and jump keep the laws in one trace") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    CAPTURE(seed);
    const RawFile first = machine_of(seed);
    const RawFile second =
        machine_of(seed + 2000, seed % 2 == 0 ? MachineKind::kRaspberry : MachineKind::kRiscv);
    const RawFile third = machine_of(seed + 3000);
    const auto jumping = [](Ns time) {
      return time - time / 1000 + (time < 100'000 ? 0 : 7'000'000);
    };
    const RawFile all = joined({{&first, [](Ns time) { return time; }, "clock=own"},
                                {&second, [](Ns time) { return time / 3 - 50'000; }, "clock=x"},
                                {&third, jumping, "clock=x"}});
    NameTable names;
    Collect together;
    reports::LawCheck law;
    BothSinks sinks(together, law);
    REQUIRE(spans::rebuild(all, names, sinks));
    const reports::LawReport report = law.report();
    CHECK(report.violations.first == std::vector<std::string>{});
    CHECK(report.calls_add_up);
    std::size_t lives = 0;
    for (const RawFile* const file : {&first, &second, &third}) {
      Collect alone;
      REQUIRE(spans::rebuild(*file, names, alone));
      lives += alone.lives.size();
    }
    CHECK(report.threads.count == lives);
  }
}

}  // namespace kutrace::test
