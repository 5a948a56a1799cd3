// SPDX-License-Identifier: BSD-3-Clause
// Traces of every kind that KUtrace ever wrote, with known truth: what is rebuilt is what happened,
// span for span, with what the trailer measured of each.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <string>

#include "kutrace/abi.h"
#include "property/observed.h"
#include "support/truth_generator.h"

namespace kutrace::test {
namespace {

constexpr std::uint64_t kSeeds = 60;
constexpr EventNum kOldScheduler = 0x9ff;

struct TraceKind {
  std::string name;
  std::function<void(TruthOptions&)> make;
};

const TraceKind kKinds[] = {
    {"plain", [](TruthOptions&) {}},
    {"recorded by this project", [](TruthOptions& o) { o.own = true; }},
    {"trailer of IPC", [](TruthOptions& o) { o.flags = KUTRACE_FLAG_IPC; }},
    {"trailer of cache misses", [](TruthOptions& o) { o.flags = KUTRACE_FLAG_LLC; }},
    {"trailer of both", [](TruthOptions& o) { o.flags = KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC; }},
    {"wrapped", [](TruthOptions& o) { o.flags = KUTRACE_FLAG_WRAP; }},
    {"wrapped, with trailers",
     [](TruthOptions& o) { o.flags = KUTRACE_FLAG_WRAP | KUTRACE_FLAG_IPC; }},
    {"wrapped, recorded by this project",
     [](TruthOptions& o) {
       o.own = true;
       o.flags = KUTRACE_FLAG_WRAP;
     }},
    {"scheduler number 511",
     [](TruthOptions& o) {
       o.scheduler_frames = true;
       o.scheduler = kOldScheduler;
     }},
    {"scheduler number 1535", [](TruthOptions& o) { o.scheduler_frames = true; }},
    {"Raspberry Pi, 56-bit counter", [](TruthOptions& o) { o.machine = MachineKind::kRaspberry; }},
    {"Raspberry Pi, 32-bit counter that turns over",
     [](TruthOptions& o) {
       o.machine = MachineKind::kRaspberry32;
       o.shuffled = false;
     }},
    {"FreeBSD", [](TruthOptions& o) { o.machine = MachineKind::kFreeBsd; }},
    {"version 2", [](TruthOptions& o) { o.version = 2; }},
    {"version 1", [](TruthOptions& o) { o.version = 1; }},
    {"one block after the other, many", [](TruthOptions& o) { o.block_words = 2; }},
};

TruthOptions options_of(std::uint64_t seed, const TraceKind& kind) {
  TruthOptions options = random_options(seed);
  options.own = false;
  options.noise = seed % 2 == 0;
  kind.make(options);
  return options;
}

TEST_CASE("every kind of trace is rebuilt span for span") {
  for (const TraceKind& kind : kKinds) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Truth truth = generate_truth(options_of(seed, kind));
      Observed seen;
      observe(truth.file, seen);
      CAPTURE(kind.name, seed);
      REQUIRE(seen.error == "");
      REQUIRE(seen.law.violations.first == std::vector<std::string>{});
      REQUIRE(first_difference(truth.spans, timelines(seen.spans), truth.tick) == "");
      REQUIRE(std::abs(seen.info.begin - truth.begin) <= truth.tick);
      REQUIRE(std::abs(seen.info.end - truth.end) <= truth.tick);
    }
  }
}

// Where many things happen in one tick, all that is longer than a few is there, and nothing else.
TEST_CASE("a clock of a microsecond shows everything longer than its ticks") {
  const TraceKind slow{"RISC-V", [](TruthOptions& o) { o.machine = MachineKind::kRiscv; }};
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Truth truth = generate_truth(options_of(seed, slow));
    Observed seen;
    observe(truth.file, seen);
    CAPTURE(seed);
    REQUIRE(seen.error == "");
    REQUIRE(seen.law.violations.first == std::vector<std::string>{});
    CHECK(first_without_match(truth.spans, timelines(seen.spans), truth.tick) == "");
    CHECK(first_without_match(timelines(seen.spans), truth.spans, truth.tick) == "");
    CHECK_FALSE(seen.info.counters.named(Severity::kRepair).contains("time_clamped"));
  }
}

}  // namespace
}  // namespace kutrace::test
