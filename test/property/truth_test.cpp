// SPDX-License-Identifier: BSD-3-Clause
// Generated traces with known truth: what is rebuilt is what happened.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "format/event_table.h"
#include "property/observed.h"
#include "support/truth_generator.h"
#include "timeline/event_stream.h"

namespace kutrace::test {
namespace {

constexpr std::uint64_t kSeeds = 150;

TEST_CASE("every span of a generated trace is what the simulated machine did") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Truth truth = generate_truth(random_options(seed));
    Observed seen;
    observe(truth.file, seen);
    CAPTURE(seed);
    REQUIRE(seen.error == "");
    REQUIRE(seen.law.violations.first == std::vector<std::string>{});
    const std::string difference = first_difference(merged(truth.spans), merged(seen.spans));
    REQUIRE(difference == "");
    REQUIRE(seen.info.end == truth.end);
    REQUIRE(seen.info.losses.empty());
  }
}

TEST_CASE("every wait and wakeup of a generated trace is what the simulated machine did") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Truth truth = generate_truth(random_options(seed));
    Observed seen;
    observe(truth.file, seen);
    CAPTURE(seed);
    CHECK(first_difference(waits_and_wakeups(truth), waits_and_wakeups(seen)) == "");
  }
}

TEST_CASE("a healthy generated trace needs no repair but those of its late stores") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    TruthOptions options = random_options(seed);
    options.late_stores = false;
    Observed seen;
    observe(generate_truth(options).file, seen);
    CAPTURE(seed);
    CHECK(seen.info.counters.named(Severity::kDamage) == Counts{});
    for (const auto& [rule, count] : seen.info.counters.named(Severity::kRepair)) {
      CAPTURE(rule, count);
      CHECK(rule == "missing_sched_return");
    }
  }
}

TEST_CASE("events leave the stream in time order on each CPU") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    auto file = RawFile::open(
        MappedFile::from_bytes(generate_truth(random_options(seed)).file, "generated"));
    REQUIRE(file);
    const auto layout = timeline::lay_out(*file);
    REQUIRE(layout);
    std::map<CpuId, Ns> last;
    std::size_t late = 0;
    timeline::EventStream(*layout).run([&](const timeline::Event& event) {
      if (event.entry.number >= timeline::kBlockStart) return;
      const auto [place, is_new] = last.try_emplace(event.cpu, event.time);
      if (!is_new && event.time < place->second) ++late;
      place->second = event.time;
    });
    CAPTURE(seed);
    CHECK(late == 0);
  }
}

}  // namespace
}  // namespace kutrace::test
