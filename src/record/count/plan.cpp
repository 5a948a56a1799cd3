// SPDX-License-Identifier: BSD-3-Clause
#include "record/count/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "base/shell_pattern.h"

namespace kutrace::record {

namespace {

using count::AggregateKind;
using count::Field;
using count::Probe;

constexpr std::uint32_t kWordBits = 64;
constexpr std::uint32_t kSignedBuckets = 128;
constexpr std::uint32_t kUnsignedBuckets = 64;
constexpr std::size_t kCommWords = 2;

bool is_signed(Field field) { return count::info(field).is_signed; }

std::uint32_t device_kind(AggregateKind kind) {
  switch (kind) {
    case AggregateKind::kCount:
      return KUTRACE_COUNT_COUNT;
    case AggregateKind::kSum:
    case AggregateKind::kAvg:
      return KUTRACE_COUNT_SUM;
    case AggregateKind::kMin:
      return KUTRACE_COUNT_MIN;
    case AggregateKind::kMax:
      return KUTRACE_COUNT_MAX;
    case AggregateKind::kStddev:
      return KUTRACE_COUNT_SQUARES;
    case AggregateKind::kQuantize:
      return KUTRACE_COUNT_POWERS;
    case AggregateKind::kLquantize:
      return KUTRACE_COUNT_STEPS;
  }
  return KUTRACE_COUNT_COUNT;
}

std::uint32_t words_of(const kutrace_count_aggregate& aggregate) {
  switch (aggregate.kind) {
    case KUTRACE_COUNT_COUNT:
      return 1;
    case KUTRACE_COUNT_SUM:
      return 3;
    case KUTRACE_COUNT_SQUARES:
      return 5;
    case KUTRACE_COUNT_POWERS:
    case KUTRACE_COUNT_STEPS:
      return aggregate.buckets;
    default:
      return 2;
  }
}

// Of what joins tests.
std::uint32_t device_op(count::Step::Kind kind) {
  if (kind == count::Step::Kind::kAnd) return KUTRACE_COUNT_AND;
  return kind == count::Step::Kind::kOr ? KUTRACE_COUNT_OR : KUTRACE_COUNT_NOT;
}

std::vector<std::string_view> programs_of(Probe probe, bool is_timed) {
  switch (probe) {
    case Probe::kSyscall:
      if (is_timed) return {"count_call_begin", "count_call"};
      return {"count_call"};
    case Probe::kSwitch:
      return {"count_switch"};
    case Probe::kWakeup:
      return {"count_wakeup", "count_wakeup_new"};
    case Probe::kOffCpu:
      return {"count_off_cpu", "count_off_cpu_new"};
    case Probe::kRunQueue:
      return {"count_run_queue", "count_run_queue_wakeup", "count_run_queue_new"};
    case Probe::kIrq:
      if (is_timed) return {"count_irq_begin", "count_irq"};
      return {"count_irq"};
    case Probe::kSoftirq:
      if (is_timed) return {"count_softirq_begin", "count_softirq"};
      return {"count_softirq"};
    case Probe::kFault:
      return {"count_user_fault", "count_kernel_fault"};
    case Probe::kTracepoint:
      return {"count_tracepoint"};
  }
  return {};
}

class Planner {
 public:
  Planner(const count::Question& question, const EventNames& names)
      : question_(question), names_(names) {}

  Result<CountPlan> plan(const CountWay& way) {
    settings().family = way.family;
    KUTRACE_TRY(probe());
    for (const Field key : question_.keys)
      for (const std::uint32_t slot : slots_of(key)) add_key(slot);
    if (way.by_interval) add_key(KUTRACE_COUNT_INTERVAL);
    plan_.by_interval = way.by_interval;
    plan_.key_slots = std::max(1u, settings().keys);
    KUTRACE_TRY(aggregates());
    KUTRACE_TRY(condition());
    plan_.programs = programs_of(question_.probe, (settings().slots >> KUTRACE_COUNT_DURATION & 1));
    if (way.family != 0) {
      plan_.programs.emplace_back("count_family_grows");
      plan_.programs.emplace_back("count_family_begins");
      plan_.programs.emplace_back("count_family_shrinks");
    }
    return plan_;
  }

 private:
  kutrace_count_settings& settings() { return plan_.settings; }
  void need(std::uint32_t slot) { settings().slots |= std::uint64_t{1} << slot; }

  void add_key(std::uint32_t slot) {
    static_assert(count::kMostKeys * 3 + 1 <= KUTRACE_COUNT_KEY_SLOTS);
    settings().key[settings().keys++] = slot;
    need(slot);
  }

  // Names that fit one of the patterns, as a set; how many there are.
  std::vector<std::uint32_t> fill_set(std::uint32_t set, const std::vector<std::string>& patterns) {
    std::vector<std::uint32_t> found;
    for (const auto& [number, name] : names_) {
      if (number >= KUTRACE_COUNT_NAMES) continue;
      if (!fits_any(patterns, name.name) && !fits_any(patterns, name.shown)) continue;
      settings().set[set][number / kWordBits] |= std::uint64_t{1} << number % kWordBits;
      found.push_back(number);
    }
    return found;
  }

  Status probe() {
    const bool all =
        question_.names.empty() || std::ranges::find(question_.names, "*") != question_.names.end();
    if (all || question_.probe == Probe::kTracepoint) {
      settings().all_names = 1;
      return {};
    }
    for (const std::string& pattern : question_.names) {
      if (fill_set(0, {pattern}).empty()) {
        const std::string_view word = count::info(question_.probe).word;
        return fail(usage_error(fmt::format("there is no {}:{}", word, pattern))
                        .with_hint(fmt::format("kutrace count '{}:*, by name' --for 5s", word)));
      }
    }
    const std::vector<std::uint32_t> found = fill_set(0, question_.names);
    if (found.size() == 1) settings().one_name = found.front() + 1;
    return refuse_endless(found);
  }

  // Calls are counted when they return.
  Status refuse_endless(const std::vector<std::uint32_t>& found) const {
    if (question_.probe != Probe::kSyscall) return {};
    for (const std::uint32_t number : found)
      if (!names_.at(number).name.starts_with("exit")) return {};
    return fail(usage_error("this call never returns, and calls are counted when they return")
                    .with_hint("tracepoint:sched:sched_process_exit"));
  }

  Status aggregates() {
    static_assert(count::kMostAggregates <= KUTRACE_COUNT_AGGREGATES);
    for (const count::Aggregate& asked : question_.aggregates) {
      kutrace_count_aggregate& aggregate = settings().aggregate[settings().aggregates++];
      aggregate.kind = device_kind(asked.kind);
      aggregate.word = plan_.value_words;
      if (asked.kind != AggregateKind::kCount) {
        aggregate.slot = slots_of(asked.of).front();
        aggregate.only_success = asked.of == Field::kBytes;
        need(aggregate.slot);
      }
      if (asked.kind == AggregateKind::kQuantize)
        aggregate.buckets = is_signed(asked.of) ? kSignedBuckets : kUnsignedBuckets;
      if (asked.kind == AggregateKind::kLquantize) {
        const LinearBounds& bounds = asked.bounds;
        const auto steps = static_cast<std::uint32_t>((bounds.most - bounds.least) / bounds.step);
        aggregate.buckets = steps + 2;  // one below, one above
        aggregate.least = static_cast<std::uint64_t>(bounds.least);
        aggregate.step = static_cast<std::uint64_t>(bounds.step);
      }
      plan_.value_words += words_of(aggregate);
    }
    if (plan_.value_words <= KUTRACE_COUNT_WORDS) return {};
    return fail(usage_error(fmt::format("the aggregations need {} numbers per key; the limit is {}",
                                        plan_.value_words, KUTRACE_COUNT_WORDS))
                    .with_hint("ask for fewer aggregations, or for fewer buckets"));
  }

  Status add_test(kutrace_count_test test) {
    if (settings().tests == KUTRACE_COUNT_STEPS_OF_TEST)
      return fail(usage_error(fmt::format("the condition is too long: it has more than {} steps",
                                          KUTRACE_COUNT_STEPS_OF_TEST)));
    settings().test[settings().tests++] = test;
    return {};
  }

  Status add_operator(std::uint32_t op) {
    kutrace_count_test test{};
    test.op = op;
    return add_test(test);
  }

  Status condition() {
    for (const count::Step& step : question_.where) {
      const bool is_test = step.kind == count::Step::Kind::kTest;
      KUTRACE_TRY(is_test ? comparison(step) : add_operator(device_op(step.kind)));
    }
    return {};
  }

  Status comparison(const count::Step& step) {
    for (const std::uint32_t slot : slots_of(step.field)) need(slot);
    if (step.field == Field::kComm) return comm_test(step);
    kutrace_count_test test{};
    test.slot = slots_of(step.field).front();
    test.negate = step.compare == count::Compare::kUnequal ||
                  step.compare == count::Compare::kAtMost ||
                  step.compare == count::Compare::kAtLeast;
    if (step.field == Field::kName) {
      test.op = KUTRACE_COUNT_IN_SET;
      return name_test(step, test);
    }
    test.number = static_cast<std::uint64_t>(step.number);
    test.mask = std::numeric_limits<std::uint64_t>::max();
    if (step.compare == count::Compare::kLess || step.compare == count::Compare::kAtLeast)
      test.op = KUTRACE_COUNT_LESS;
    else if (step.compare == count::Compare::kMore || step.compare == count::Compare::kAtMost)
      test.op = KUTRACE_COUNT_MORE;
    else
      test.op = KUTRACE_COUNT_EQUAL;
    KUTRACE_TRY(add_test(test));
    return step.field == Field::kBytes ? success_test() : Status();
  }

  // Nothing is so many bytes that is an error.
  Status success_test() {
    kutrace_count_test test{};
    test.op = KUTRACE_COUNT_LESS;
    test.slot = KUTRACE_COUNT_RESULT;
    test.negate = 1;
    KUTRACE_TRY(add_test(test));
    return add_operator(KUTRACE_COUNT_AND);
  }

  Status name_test(const count::Step& step, kutrace_count_test test) {
    if (++sets_ == KUTRACE_COUNT_SETS)
      return fail(usage_error(
          fmt::format("a condition can compare name at most {} times", KUTRACE_COUNT_SETS - 1)));
    test.set = sets_;
    if (fill_set(sets_, {step.text}).empty()) {
      return fail(usage_error(
          fmt::format("no {} is called {}", count::info(question_.probe).one, step.text)));
    }
    return add_test(test);
  }

  // The name's bytes and the zero behind them; of a pattern those before its star.
  Status comm_test(const count::Step& step) {
    const bool is_pattern = step.text.ends_with('*');
    const std::size_t known = is_pattern ? step.text.size() - 1 : step.text.size() + 1;
    std::array<std::array<char, 8>, kCommWords> bytes{};
    std::array<std::array<char, 8>, kCommWords> mask{};
    for (std::size_t i = 0; i < known; ++i) {
      mask[i / 8][i % 8] = '\xff';
      if (i < step.text.size()) bytes[i / 8][i % 8] = step.text[i];
    }
    for (std::size_t word = 0; word < kCommWords; ++word) {
      kutrace_count_test test{};
      test.op = KUTRACE_COUNT_EQUAL;
      test.slot = KUTRACE_COUNT_COMM + static_cast<std::uint32_t>(word);
      test.mask = std::bit_cast<std::uint64_t>(mask[word]);
      test.number = std::bit_cast<std::uint64_t>(bytes[word]) & test.mask;
      if (word != 0 && test.mask == 0) continue;
      KUTRACE_TRY(add_test(test));
      if (word != 0) KUTRACE_TRY(add_operator(KUTRACE_COUNT_AND));
    }
    return step.compare == count::Compare::kUnequal ? add_operator(KUTRACE_COUNT_NOT) : Status();
  }

  const count::Question& question_;
  const EventNames& names_;
  CountPlan plan_;
  std::uint32_t sets_ = 0;
};

std::int64_t power_bound(std::size_t bucket, std::uint32_t buckets) {
  const auto place = static_cast<int>(bucket);
  const int zero = buckets == kSignedBuckets ? 64 : 0;
  if (place == zero) return 0;
  const std::uint64_t power = std::uint64_t{1} << (std::abs(place - zero) - 1);
  return static_cast<std::int64_t>(place > zero ? power : -power);
}

std::map<std::int64_t, std::uint64_t> powers(std::span<const std::uint64_t> words) {
  std::map<std::int64_t, std::uint64_t> counts;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] != 0) counts[power_bound(i, static_cast<std::uint32_t>(words.size()))] = words[i];
  return counts;
}

std::map<std::int64_t, std::uint64_t> steps(const LinearBounds& bounds,
                                            std::span<const std::uint64_t> words) {
  std::map<std::int64_t, std::uint64_t> counts;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] != 0)
      counts[bounds.least + (static_cast<std::int64_t>(i) - 1) * bounds.step] = words[i];
  return counts;
}

}  // namespace

std::vector<std::uint32_t> slots_of(Field field) {
  switch (field) {
    case Field::kName:
      return {KUTRACE_COUNT_NAME};
    case Field::kComm:
      return {KUTRACE_COUNT_COMM, KUTRACE_COUNT_COMM_END};
    case Field::kPid:
      return {KUTRACE_COUNT_PID};
    case Field::kProcess:
      return {KUTRACE_COUNT_LEADER, KUTRACE_COUNT_LEADER_END, KUTRACE_COUNT_PID};
    case Field::kTid:
      return {KUTRACE_COUNT_TID};
    case Field::kThread:
      return {KUTRACE_COUNT_COMM, KUTRACE_COUNT_COMM_END, KUTRACE_COUNT_TID};
    case Field::kCpu:
      return {KUTRACE_COUNT_CPU};
    case Field::kError:
      return {KUTRACE_COUNT_ERROR};
    case Field::kResult:
    case Field::kBytes:
      return {KUTRACE_COUNT_RESULT};
    case Field::kDuration:
      return {KUTRACE_COUNT_DURATION};
    case Field::kKernelStack:
      return {KUTRACE_COUNT_KERNEL_STACK};
    case Field::kUserStack:
      return {KUTRACE_COUNT_USER_STACK, KUTRACE_COUNT_PID};
    default:
      return {KUTRACE_COUNT_ARG + static_cast<std::uint32_t>(field) -
              static_cast<std::uint32_t>(Field::kArg0)};
  }
}

Result<CountPlan> plan_count(const count::Question& question, const EventNames& names,
                             const CountWay& way) {
  return Planner(question, names).plan(way);
}

std::vector<count::Sums> sums_of(const CountPlan& plan, const count::Question& question,
                                 std::span<const std::uint64_t> words) {
  std::vector<count::Sums> all;
  for (std::size_t i = 0; i < question.aggregates.size(); ++i) {
    const kutrace_count_aggregate& aggregate = plan.settings.aggregate[i];
    const auto own = words.subspan(aggregate.word, words_of(aggregate));
    count::Sums& sums = all.emplace_back();
    sums.values = own[0];
    if (aggregate.kind == KUTRACE_COUNT_POWERS || aggregate.kind == KUTRACE_COUNT_STEPS) {
      sums.counts = aggregate.kind == KUTRACE_COUNT_POWERS
                        ? powers(own)
                        : steps(question.aggregates[i].bounds, own);
      sums.values = 0;
      for (const auto& [bound, count] : sums.counts) sums.values += count;
      continue;
    }
    if (aggregate.kind == KUTRACE_COUNT_COUNT) continue;
    if (aggregate.kind == KUTRACE_COUNT_MIN || aggregate.kind == KUTRACE_COUNT_MAX) {
      sums.least = sums.greatest = static_cast<std::int64_t>(own[1]);
      continue;
    }
    const auto high = static_cast<std::int64_t>(own[2]);
    sums.add_sum(std::ldexp(static_cast<long double>(high), 64) + static_cast<long double>(own[1]),
                 own[1]);
    if (aggregate.kind == KUTRACE_COUNT_SQUARES)
      sums.squares =
          std::ldexp(static_cast<long double>(own[4]), 64) + static_cast<long double>(own[3]);
  }
  return all;
}

}  // namespace kutrace::record
