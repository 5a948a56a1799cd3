// SPDX-License-Identifier: BSD-3-Clause
// Generated traces with known truth: what is rebuilt is what happened.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <utility>

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

// One of these belongs to one of those, and the other way round.
template <typename This, typename That>
class Pairs {
 public:
  void must_fit(This one, That other) {
    const auto [there, is_new] = there_.try_emplace(one, other);
    if (there->second != other) FAIL("one is two");
    const auto back = back_.try_emplace(other, one).first;
    if (back->second != one) FAIL("two are one");
  }
  const std::map<This, That>& all() const { return there_; }

 private:
  std::map<This, That> there_;
  std::map<That, This> back_;
};

// Numbers of threads are given again, and change in exec; who a thread is does not.
TEST_CASE("every thread and process of a generated trace is one, whatever its number") {
  std::size_t reused = 0;
  std::size_t renumbered = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Truth truth = generate_truth(random_options(seed));
    Observed seen;
    observe(truth.file, seen);
    std::map<std::pair<CpuId, Ns>, const Span*> at;
    for (const Span& span : seen.spans) {
      if (is_execution(span.kind)) at[{span.cpu, span.start}] = &span;
    }
    Pairs<std::size_t, ThreadId> threads;
    Pairs<std::size_t, ProcessId> processes;
    std::map<Pid, std::set<std::size_t>> of_number;
    std::map<std::size_t, std::set<Pid>> numbers;
    CAPTURE(seed);
    for (const TrueSpan& span : truth.spans) {
      const auto found = at.find({span.cpu, span.begin});
      if (found == at.end()) continue;  // a piece of the span before it
      threads.must_fit(span.thread, found->second->thread);
      if (span.thread == kNoTrueThread) continue;
      of_number[span.pid].insert(span.thread);
      numbers[span.thread].insert(span.pid);
    }
    for (const auto& [thread, id] : threads.all()) {
      const bool told = thread != kNoTrueThread && truth.own;
      if (told) processes.must_fit(truth.processes[thread], seen.processes.of(id));
    }
    for (const auto& [pid, given] : of_number) reused += given.size() - 1;
    for (const auto& [thread, had] : numbers) renumbered += had.size() - 1;
  }
  CHECK(reused > 100);
  CHECK(renumbered > 20);
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
