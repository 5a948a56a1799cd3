// SPDX-License-Identifier: BSD-3-Clause
// What is odd in generated traces, whole and damaged: whatever they hold, each finding lies in the
// recording, lost some time, says something and names a command; and the most costly comes first.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "odd/look.h"
#include "spans/rebuild.h"
#include "support/truth_generator.h"

namespace kutrace::test {
namespace {

constexpr std::uint64_t kSeeds = 100;

bool is_sound(const odd::Finding& finding, const TraceInfo& info) {
  const TimeWindow& when = finding.when;
  return finding.cost > 0 && info.begin <= when.begin && when.begin <= when.end &&
         when.end <= info.end && !finding.words.empty() && !finding.command.empty();
}

struct Proved {
  std::size_t traces = 0;
  std::size_t findings = 0;
};

void look_at(std::vector<std::byte> bytes, Proved& proved) {
  auto file = RawFile::open(MappedFile::from_bytes(std::move(bytes), "generated"));
  if (!file) return;
  NameTable names;
  odd::Look look(names);
  const auto info = spans::rebuild(*file, names, look);
  if (!info) return;
  const std::vector<odd::Finding> findings = look.findings(*info, info->end - info->begin, true);
  CHECK(std::ranges::is_sorted(findings, std::greater(), &odd::Finding::cost));
  for (const odd::Finding& finding : findings) {
    CAPTURE(finding.kind->name, finding.words, finding.cost, finding.when.begin, finding.when.end);
    CHECK(is_sound(finding, *info));
  }
  ++proved.traces;
  proved.findings += findings.size();
}

TEST_CASE("whatever a trace holds, what is odd in it is sound") {
  Proved whole;
  Proved damaged;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    CAPTURE(seed);
    std::vector<std::byte> bytes = generate_truth(random_options(seed)).file;
    look_at(bytes, whole);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 200; ++i) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    look_at(std::move(bytes), damaged);
  }
  CHECK(whole.traces == kSeeds);
  CHECK(damaged.traces > kSeeds / 2);
  CHECK(whole.findings + damaged.findings > 0);
}

}  // namespace
}  // namespace kutrace::test
