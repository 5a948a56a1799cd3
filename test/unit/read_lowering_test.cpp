// SPDX-License-Identifier: BSD-3-Clause
// Events that are told as no file should tell them: what they say of time, threads, calls and CPUs
// is believed as far as it can be, and the rest is lost or said.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "read/import/imported.h"
#include "read/import/lowering.h"
#include "support/imported_trace.h"
#include "support/lines.h"
#include "support/spans_of.h"

namespace kutrace::test {
namespace {

using read::KernelEvent;
using read::Lowering;
using read::What;

constexpr Ns kFar = Ns{1} << 52;

// What a file tells of, from 1,000 ns on.
class Told {
 public:
  explicit Told(std::string machine = "x86_64") {
    Lowering::Options options;
    options.source = "test";
    options.machine = std::move(machine);
    options.begin = 1'000;
    options.most_cpus = 16;
    lowering_.emplace(std::move(options), [this](std::uint64_t number, std::string_view bytes) {
      return blocks_.put(number, bytes);
    });
  }
  Told& on(CpuId cpu) {
    cpu_ = cpu;
    return *this;
  }
  Told& add(Ns time, Pid pid, What what, std::initializer_list<std::int64_t> numbers) {
    KernelEvent event;
    event.time = time;
    event.cpu = cpu_;
    event.pid = pid;
    event.what = what;
    event.known = static_cast<std::uint8_t>(numbers.size());
    std::ranges::copy(numbers, event.numbers.begin());
    REQUIRE(lowering_->push(event));
    return *this;
  }
  Told& switches(Ns time, std::int64_t from, std::int64_t to) {
    return add(time, kNoPid, What::kSwitch, {from, 0, to});
  }
  Lowering& lowering() { return *lowering_; }

  Replay until(Ns end) {
    REQUIRE(lowering_->finish(end));
    found = lowering_->found();
    auto reader = std::move(blocks_).open("test", {});
    REQUIRE(reader);
    Replay r;
    replay(*(*reader)->raw(), r);
    return r;
  }

  Counters found;

 private:
  read::ImportedBlocks blocks_{1 << 20};
  std::optional<Lowering> lowering_;
  CpuId cpu_ = 0;
};

bool says(const Replay& r, std::string_view unseen) {
  return std::ranges::any_of(r.info.facts, [&](const auto& fact) {
    return fact.first == fact::kUnseen.text && fact.second == unseen;
  });
}

TEST_CASE("a call ends by the number that it began with, whatever its end says") {
  Told arm("aarch64");
  arm.switches(1'000, 0, 10).add(2'000, 10, What::kSyscall, {139});
  arm.add(3'000, 10, What::kSyscallReturn, {-1, 0}).switches(4'000, 10, 0);
  CHECK(arm.until(4'000).timeline(0) ==
        Lines{"user 0+1000 ", "syscall 1000+1000 rt_sigreturn=0", "user 2000+1000 "});
  Told unknown;
  unknown.switches(1'000, 0, 10).add(2'000, 10, What::kSyscall, {-1});
  unknown.add(3'000, 10, What::kSyscallReturn, {-1, -38}).switches(4'000, 10, 0);
  CHECK(unknown.until(4'000).timeline(0)[1] == "syscall 1000+1000 sys#1073741823=-38");
}

TEST_CASE("a thread's last call has no return, and the thread ends in it") {
  const auto [machine, exit_group] =
      GENERATE(std::pair("x86_64", 231), std::pair("aarch64", 94), std::pair("x86_64", 60));
  Told told(machine);
  told.switches(1'000, 0, 10).add(2'000, 10, What::kSyscall, {exit_group, 0});
  told.add(3'000, 10, What::kSyscallReturn, {exit_group, 0}).switches(3'000, 10, 0);
  const Replay r = told.switches(9'000, 0, 20).until(9'000);
  CHECK(r.timeline(0)[1].starts_with("syscall 1000+1000 exit"));
  const auto life = std::ranges::find(r.lives, 10, &ThreadLife::pid);
  REQUIRE(life != r.lives.end());
  CHECK(life->end == 2'000);
}

TEST_CASE("a number of no call ends the return from a signal, as the machine numbers it") {
  Told told(GENERATE("aarch64", "x86_64"));
  told.switches(1'000, 0, 10).add(3'000, 10, What::kSyscallReturn, {-1, 0});
  const Replay r = told.switches(4'000, 10, 0).until(4'000);
  CHECK(r.timeline(0).front() == "syscall 0+2000 rt_sigreturn=0");
}

TEST_CASE("behind a switch to what is no thread it is not known who runs") {
  const auto nobody = GENERATE(std::int64_t{-1}, -7, 0x3000'0000, std::int64_t{1} << 32);
  Told told;
  told.switches(1'000, 0, 10).switches(2'000, 10, nobody).switches(5'000, nobody, 20);
  const Replay r = told.switches(6'000, 20, 0).until(6'000);
  CHECK(r.timeline(0) == Lines{"user 0+1001 ", "loss 1001+2999 -loss-(6)", "user 4000+1000 "});
  CHECK(told.found.of(Counter::kEntryBadLength) != 0);
}

TEST_CASE("an end far ahead of all events is not believed, and said") {
  Told told;
  told.switches(1'000, 0, 10).switches(2'000, 10, 0);
  const Ns end = GENERATE(Ns{kFar}, 9'000);
  const Replay r = told.until(end);
  CHECK(says(r, "an end far ahead of all events") == (end == kFar));
  CHECK(told.found.of(Counter::kEntryBadLength) == (end == kFar ? 1 : 0));
  CHECK(r.info.end - r.info.begin == (end == kFar ? 1'000 : 8'000));
}

TEST_CASE("the last event of all is left out if it lies far ahead of all others") {
  Told told;
  told.switches(1'000, 0, 10).switches(2'000, 10, 0).on(1).switches(1'000, 0, 20);
  told.switches(kFar, 20, 0);
  SECTION("alone") {
    const Replay r = told.until(kFar);
    CHECK(r.info.end - r.info.begin == 1'000);
    CHECK(says(r, "1 event far ahead of the others"));
  }
  SECTION("but not if another CPU has one there") {
    told.on(0).switches(kFar + 1'000, 0, 10);
    CHECK(told.until(kFar).info.end >= kFar);
  }
}

TEST_CASE("what was lost before a CPU's first event is said") {
  Told told;
  told.on(1).switches(1'000, 0, 10);
  REQUIRE(told.lowering().lose(0, 2'000, KUTRACE_LOSS_BUFFER_FULL, 70));
  const Replay r = told.on(0).switches(2'000, 0, 20).switches(3'000, 20, 0).until(3'000);
  CHECK(says(r, "70 events that were lost before the first one of their CPU"));
}

TEST_CASE("of a file that is cut the rest of each CPU is lost") {
  Told told;
  told.switches(1'000, 0, 10).on(1).switches(1'000, 0, 20).switches(5'000, 20, 0);
  REQUIRE(told.lowering().lose_rest(5'000));
  CHECK(told.until(5'000).timeline(0) == Lines{"user 0+1 ", "loss 1+3999 -loss-(6)"});
}

// CPU 0  |user|read of 10 ...                        |user of 20|write|user|
// CPU 1       |                 ... read of 10|user|
TEST_CASE("without switches a call ends by its thread, wherever it returns") {
  Told told;
  told.add(1'000, 10, What::kSample, {0, 1}).add(2'000, 10, What::kSyscall, {0, 3});
  told.on(1).add(6'000, 10, What::kSyscallReturn, {0, 7}).add(7'000, 10, What::kSample, {0, 1});
  told.on(0).add(7'000, 20, What::kSample, {0, 1}).add(8'000, 20, What::kSyscall, {1, 4});
  told.add(8'100, 20, What::kSyscallReturn, {1, 1}).add(8'500, 20, What::kSample, {0, 1});
  const Replay r = told.until(9'000);
  CHECK(r.timeline(0) == Lines{"user 0+1000 ", "hidden 1000+5000 -hidden-", "user 6000+1000 ",
                               "hidden 7000+100 -hidden-", "user 7100+400 ",
                               "hidden 7500+500 -hidden-"});
  CHECK(r.timeline(1) ==
        Lines{"loss 0+5000 -loss-(9)", "user 5000+1000 ", "hidden 6000+2000 -hidden-"});
  CHECK(r.calls == Lines{"1000 4000 0 10 syscall 800 3 7 0 0 0 1 0 \"read\" unknown=4000",
                         "7000 100 0 20 syscall 801 4 1 0 0 0 2 0 \"write\" unknown=100"});
  CHECK(r.info.counters.named(Severity::kRepair).empty());
}

TEST_CASE("without switches a call ends by its thread behind other threads on its CPU") {
  Told told;
  told.add(1'000, 10, What::kSyscall, {35, 1}).add(2'000, 20, What::kSyscall, {35, 1});
  told.add(5'000, 10, What::kSyscallReturn, {35, 0}).add(6'000, 20, What::kSyscallReturn, {35, 0});
  told.add(7'000, 20, What::kSyscall, {0, 1}).add(8'000, 10, What::kSyscall, {0, 1});
  const Replay r = told.until(9'000);
  CHECK(r.calls ==
        Lines{"0 4000 0 10 syscall 823 1 0 0 0 0 1 0 \"nanosleep\" unknown=4000",
              "1000 4000 0 20 syscall 823 1 0 0 0 0 2 0 \"nanosleep\" unknown=4000",
              "6000 2000 0 20 syscall 800 1 - 0 0 0 3 0 \"read\" unknown=2000 end=inferred",
              "7000 1000 0 10 syscall 800 1 - 0 0 0 4 0 \"read\" unknown=1000 end=inferred"});
  CHECK(r.timeline(0) == Lines{"hidden 0+1000 -hidden-", "hidden 1000+3000 -hidden-",
                               "hidden 4000+1000 -hidden-", "user 5000+1000 ",
                               "hidden 6000+1000 -hidden-", "hidden 7000+1000 -hidden-"});
}

TEST_CASE("without switches interrupts are known, and nobody waits or is ready") {
  Told told;
  told.add(1'000, 10, What::kSyscall, {0, 3}).add(2'000, 10, What::kSoftirq, {1});
  told.add(2'500, 10, What::kWaking, {20}).add(3'000, 10, What::kSoftirqReturn, {1});
  told.add(4'000, 20, What::kSyscallReturn, {35, 0}).add(5'000, 20, What::kSyscall, {231, 0});
  told.add(9'000, 10, What::kSyscallReturn, {0, 1});
  const Replay r = told.until(9'000);
  CHECK(r.timeline(0) == Lines{"hidden 0+1000 -hidden-", "softirq 1000+1000 BH:timer(1)=1",
                               "hidden 2000+1000 -hidden-", "user 3000+1000 ",
                               "hidden 4000+4000 -hidden-"});
  CHECK(r.of_kind(SpanKind::kWait).empty());
  CHECK(r.of_kind(SpanKind::kWakeupArc).empty());
  const auto life = std::ranges::find(r.lives, 20, &ThreadLife::pid);
  REQUIRE(life != r.lives.end());
  CHECK(life->begin == 3'000);
  CHECK(life->end == 4'000);
}

TEST_CASE("a frequency is that of the CPU that it names, from there on") {
  Told told;
  told.switches(1'000, 0, 10).on(1).switches(1'000, 0, 20);
  told.on(0).add(2'000, 10, What::kFrequency, {2'000'000, 1});
  told.add(2'500, 10, What::kFrequency, {1'000'000, 1});
  told.add(2'500, 10, What::kFrequency, {2'000'000, 1 << 20});
  const Replay r = told.switches(3'000, 10, 0).on(1).switches(3'000, 20, 0).until(3'000);
  CHECK(r.timeline(1) == Lines{"user 0+2000 "});
  const auto found = std::ranges::find(r.spans, SpanKind::kFrequency, &Span::kind);
  REQUIRE(found != r.spans.end());
  CHECK(found->cpu == 1);
  CHECK(found->start == 1'000);
  CHECK(found->duration == 500);
  CHECK(found->low_arg() == 2'000);
  CHECK(told.found.of(Counter::kEntryBadLength) == 1);
}

}  // namespace
}  // namespace kutrace::test
