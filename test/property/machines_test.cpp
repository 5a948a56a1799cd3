// SPDX-License-Identifier: BSD-3-Clause
// Generated traces of several machines in one model: the three laws hold over all of them, and each
// machine did what it does alone, though all have CPUs and threads of the same numbers.
#include "model/machines.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <tuple>

#include "format/raw_file.h"
#include "reports/law_check.h"
#include "spans/rebuild.h"
#include "support/truth_generator.h"

namespace kutrace::test {
namespace {

constexpr std::uint64_t kSeeds = 40;
constexpr Pid kNumbers = 1 << 22;

class Collect : public SpanSink {
 public:
  void begin(const TraceInfo& info) override { known = info; }
  void push(const Span& span) override { spans.push_back(span); }
  void call(const Call& call) override { calls.push_back(call); }
  void life(const ThreadLife& life) override { lives.push_back(life); }

  TraceInfo known;
  std::vector<Span> spans;
  std::vector<Call> calls;
  std::vector<ThreadLife> lives;
};

RawFile machine_of(std::uint64_t seed) {
  auto file =
      RawFile::open(MappedFile::from_bytes(generate_truth(random_options(seed)).file, "made"));
  REQUIRE(file);
  return std::move(*file);
}

// What a span is, with the numbers that its machine gave.
auto identity(const Span& span, const Machine& machine) {
  const auto pid = [&machine](Pid moved) { return moved > 0 ? moved - machine.first_pid : moved; };
  const CpuId cpu = span.cpu == kNoCpu ? kNoCpu : span.cpu - machine.first_cpu;
  const std::uint64_t arg = is_arc(span.kind) ? span.arg - machine.first_cpu : span.arg;
  return std::tuple(span.start - machine.shift, span.duration, cpu, pid(span.pid), pid(span.other),
                    span.kind, span.event, arg, span.result, span.has_result, span.name);
}

bool is_fill(const Span& span) {
  return span.kind == SpanKind::kLoss && span.arg == KUTRACE_LOSS_UNWRITTEN;
}

template <typename Item, typename Id>
std::set<Id> ids_of(const std::vector<Item>& items, Id Item::* id, std::size_t from,
                    std::size_t to) {
  std::set<Id> ids;
  for (std::size_t i = from; i < to; ++i) ids.insert(items[i].*id);
  return ids;
}

template <typename Id>
bool are_apart(const std::set<Id>& one, const std::set<Id>& other) {
  return std::ranges::none_of(one, [&other](Id id) { return other.contains(id); });
}

}  // namespace

TEST_CASE("two machines in one model keep the laws, and each does what it does alone") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    CAPTURE(seed);
    const std::vector<RawFile> files = [seed] {
      std::vector<RawFile> made;
      made.push_back(machine_of(seed));
      made.push_back(machine_of(seed + 1000));
      return made;
    }();
    NameTable names;
    std::vector<Collect> alone(2);
    std::vector<Machines::Part> parts;
    for (std::size_t i = 0; i < 2; ++i) {
      REQUIRE(spans::rebuild(files[i], names, alone[i]));
      const Ns shift = i == 0 ? 0 : static_cast<Ns>(seed) * 12'347 - 200'000;
      parts.push_back({alone[i].known, shift});
    }

    Collect together;
    reports::LawCheck law;
    BothSinks both(together, law);
    Machines machines(parts, both);
    std::vector<std::size_t> ends;  // of each machine's spans, calls and lives
    std::vector<std::size_t> call_ends;
    std::vector<std::size_t> life_ends;
    const std::size_t first = together.spans.size();
    for (std::size_t i = 0; i < 2; ++i) {
      REQUIRE(spans::rebuild(files[i], names, machines.stream(i)));
      ends.push_back(together.spans.size());
      call_ends.push_back(together.calls.size());
      life_ends.push_back(together.lives.size());
    }
    const TraceInfo info = machines.finish();

    const reports::LawReport report = law.report();
    CHECK(report.violations.first == std::vector<std::string>{});
    CHECK(report.cpus.size() == alone[0].known.cpus.size() + alone[1].known.cpus.size());
    CHECK(report.threads.count == alone[0].lives.size() + alone[1].lives.size());
    CHECK(report.calls.count == alone[0].calls.size() + alone[1].calls.size());
    CHECK(report.calls_add_up);

    std::size_t at = first;
    for (std::size_t i = 0; i < 2; ++i) {
      const Machine& machine = machines.all()[i];
      CHECK(machine.first_pid == static_cast<Pid>(i) * kNumbers);
      REQUIRE(ends[i] - at == alone[i].spans.size());
      for (const Span& span : alone[i].spans) {
        const bool same = identity(together.spans[at++], machine) == identity(span, Machine());
        if (!same) FAIL("a span is another one than alone");
      }
    }
    for (std::size_t i = ends[1]; i < together.spans.size(); ++i) {
      CHECK(is_fill(together.spans[i]));
    }
    CHECK(std::ranges::count_if(together.spans, is_fill) ==
          std::ranges::count_if(info.losses, [](const LossRecord& loss) {
            return loss.reason == KUTRACE_LOSS_UNWRITTEN;
          }));
    CHECK(are_apart(ids_of(together.calls, &Call::id, 0, call_ends[0]),
                    ids_of(together.calls, &Call::id, call_ends[0], call_ends[1])));
    CHECK(are_apart(ids_of(together.lives, &ThreadLife::thread, 0, life_ends[0]),
                    ids_of(together.lives, &ThreadLife::thread, life_ends[0], life_ends[1])));
  }
}

TEST_CASE("one machine in a model is as it is alone") {
  const RawFile file = machine_of(7);
  NameTable names;
  Collect alone;
  REQUIRE(spans::rebuild(file, names, alone));
  Collect one;
  Machines machines({{alone.known, 0}}, one);
  REQUIRE(spans::rebuild(file, names, machines.stream(0)));
  const TraceInfo info = machines.finish();
  REQUIRE(one.spans.size() == alone.spans.size());
  for (std::size_t i = 0; i < one.spans.size(); ++i) {
    CHECK(one.spans[i].thread == alone.spans[i].thread);
    CHECK(one.spans[i].call == alone.spans[i].call);
    CHECK(identity(one.spans[i], Machine()) == identity(alone.spans[i], Machine()));
  }
  CHECK(info.cpus == alone.known.cpus);
  CHECK(info.losses.empty());
}

}  // namespace kutrace::test
