// SPDX-License-Identifier: BSD-3-Clause
// Questions to `kutrace count`: what is understood, where an error points to, and that no text does
// harm.
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "count/answer.h"
#include "count/parser.h"
#include "record/count/event_names.h"
#include "record/count/plan.h"

namespace kutrace::test {
namespace {

using count::AggregateKind;
using count::Compare;
using count::Field;
using count::Probe;
using count::Step;

count::Question parsed(const std::string& text) {
  auto question = count::parse_question(text);
  INFO((question ? "" : describe(question.error())));
  REQUIRE(question);
  count::complete(*question);
  return *question;
}

// The sentence, and the part of the text that the line of ^ stands below.
std::pair<std::string, std::string> refused(const std::string& text) {
  const auto question = count::parse_question(text);
  REQUIRE(!question);
  const Error& error = question.error();
  CHECK(error.kind == ErrorKind::kUsage);
  REQUIRE(error.causes.size() == 2);
  const std::size_t from = error.causes[1].find('^');
  REQUIRE(from != std::string::npos);
  const std::string at =
      error.causes[0].substr(std::min(from, error.causes[0].size()), error.causes[1].size() - from);
  return {error.sentence, at};
}

// "a b && !": fields, operators.
std::string polish(const count::Question& question) {
  std::string text;
  for (const Step& step : question.where) {
    if (!text.empty()) text += ' ';
    switch (step.kind) {
      case Step::Kind::kTest:
        text += count::info(step.field).word;
        break;
      case Step::Kind::kAnd:
        text += "&&";
        break;
      case Step::Kind::kOr:
        text += "||";
        break;
      case Step::Kind::kNot:
        text += "!";
        break;
    }
  }
  return text;
}

const Step& only_test(const count::Question& question) {
  REQUIRE(question.where.size() == 1);
  return question.where.front();
}

}  // namespace

TEST_CASE("a question is a probe, keys, aggregates and a condition") {
  const count::Question question = parsed(
      "syscall:read|write*, by comm, error, sum(bytes), lquantize(duration, 0, 1ms, 10us), "
      "where duration > 1.5ms");
  CHECK(question.probe == Probe::kSyscall);
  CHECK(question.names == std::vector<std::string>{"read", "write*"});
  CHECK(question.keys == std::vector<Field>{Field::kComm, Field::kError});
  REQUIRE(question.aggregates.size() == 2);
  CHECK(question.aggregates[0].kind == AggregateKind::kSum);
  CHECK(question.aggregates[0].of == Field::kBytes);
  CHECK(question.aggregates[1].bounds.most == 1'000'000);
  CHECK(question.aggregates[1].bounds.step == 10'000);
  CHECK(only_test(question).number == 1'500'000);
  CHECK(only_test(question).compare == Compare::kMore);
}

TEST_CASE("nothing but a probe is counted") {
  const count::Question question = parsed("sched:off-cpu");
  CHECK(question.probe == Probe::kOffCpu);
  CHECK(question.keys.empty());
  REQUIRE(question.aggregates.size() == 1);
  CHECK(question.aggregates[0].kind == AggregateKind::kCount);
  CHECK(parsed("tracepoint:sched:sched_switch").names ==
        std::vector<std::string>{"sched", "sched_switch"});
}

TEST_CASE("parts of a question come in any order, spaces do not matter") {
  const count::Question question =
      parsed("  syscall:read ,where error&&comm==\"a b\",count , by name,quantize( result )");
  CHECK(question.aggregates.size() == 2);
  CHECK(question.keys == std::vector<Field>{Field::kName});
  CHECK(polish(question) == "error comm &&");
  CHECK(question.where[1].text == "a b");
}

TEST_CASE("not binds closer than and, and closer than or") {
  CHECK(polish(parsed("syscall:*, where pid == 1 || tid == 2 && !error")) ==
        "pid tid error ! && ||");
  CHECK(polish(parsed("syscall:*, where (pid == 1 || tid == 2) && !error")) ==
        "pid tid || error ! &&");
  CHECK(polish(parsed("syscall:*, where !!(error)")) == "error ! !");
  CHECK(polish(parsed("syscall:*, where error, where pid == 1")) == "error pid &&");
}

TEST_CASE("numbers have units where they need some") {
  const auto number = [](const std::string& condition) {
    return only_test(parsed("syscall:*, where " + condition)).number;
  };
  CHECK(number("duration < 20us") == 20'000);
  CHECK(number("duration < 2s") == 2'000'000'000);
  CHECK(number("duration < 7ns") == 7);
  CHECK(number("duration < 0") == 0);
  CHECK(number("bytes >= 64k") == 65'536);
  CHECK(number("result == -11") == -11);
  CHECK(number("arg1 == 0xff") == 255);
  CHECK(number("error == ENOENT") == 2);
  CHECK(number("error == 110") == 110);
  CHECK(number("error") == 0);
  CHECK(only_test(parsed("syscall:*, where error")).compare == Compare::kUnequal);
  CHECK(number("error == EWOULDBLOCK") == 11);
  CHECK(number("error == ENOTSUP") == 95);
  CHECK(number("result == -0x1") == -1);
  CHECK(number("result == -0x8000000000000000") == std::numeric_limits<std::int64_t>::min());
  CHECK(number("arg0 == 0xffffffffffffffff") == -1);
  CHECK(number("result == 9223372036854775807") == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("an error points to the place") {
  CHECK(refused("syscall:read, by com").second == "com");
  CHECK(refused("sycall:read").second == "sycall:read");
  CHECK(refused("syscall:read, by comm, comm").second == "comm");
  CHECK(refused("syscall:read, sum(name)").second == "name");
  CHECK(refused("syscall:read, sum duration").second == "duration");
  CHECK(refused("syscall:read, sum(duration").first == "a ) is missing");
  CHECK(refused("syscall:read, where error = 3") ==
        std::pair<std::string, std::string>{"two = compare", "="});
  CHECK(refused("syscall:read, where duration > 5").second == "5");
  CHECK(refused("syscall:read, where duration > 5mins").second == "5mins");
  CHECK(refused("syscall:read, where error == ENOTHING").second == "ENOTHING");
  CHECK(refused("syscall:read, where comm").first == "what is comm compared with?");
  CHECK(refused("syscall:read, where comm < a").second == "<");
  CHECK(refused("syscall:read, where comm == a*b").second == "a*b");
  CHECK(refused("syscall:read, where comm == g?").second == "g?");
  CHECK(refused("syscall:read, where comm == \"[g]*\"").second == "\"[g]*\"");
  CHECK(refused("syscall:read, where result == -0x8000000000000001").second ==
        "-0x8000000000000001");
  CHECK(refused("syscall:read, where result == 0xffffffffffffffff").second == "0xffffffffffffffff");
  CHECK(refused("syscall:read, where comm == a-name-of-16-byte").second == "a-name-of-16-byte");
  CHECK(refused("syscall:read, where (error").first == "a ) is missing");
  CHECK(refused("syscall:read, where error) ").second == ")");
  CHECK(refused("syscall:read, where process == a").first == "process cannot be compared");
  CHECK(refused("irq:*, where error").first == "interrupts have no error");
  CHECK(refused("sched:switch, sum(duration)").first == "switches have no duration");
  CHECK(refused("syscall:read by comm").second == "by");
  CHECK(refused("syscall:read, count, count").second == "count");
  CHECK(refused("syscall:").first == "the name is missing");
  CHECK(refused("tracepoint:sched").first == "a tracepoint has a group and a name");
  CHECK(refused("").first == "what is to be counted?");
  CHECK(refused("syscall:read, lquantize(duration, 1s, 0, 1ms)").first.starts_with("the steps"));
  CHECK(refused("syscall:read, where \x1b[31merror").second == "\\33");
}

TEST_CASE("too much of anything is refused") {
  CHECK(refused("syscall:read, by name, comm, pid, tid, cpu").second == "cpu");
  std::string deep = "syscall:read, where ";
  for (int i = 0; i < 100'000; ++i) deep += '(';
  CHECK(refused(deep).first == "this is nested too deep");
  std::string nots = "syscall:read, where ";
  for (int i = 0; i < 100'000; ++i) nots += '!';
  CHECK(refused(nots).first == "this is nested too deep");
  std::string wide = "syscall:read, where error";
  for (int i = 0; i < 100; ++i) wide += " && error";
  CHECK(refused(wide).first.starts_with("the condition is too long"));
  std::string longest = "syscall:read, where error";
  for (int i = 0; i < 11; ++i) longest += " || error";
  CHECK(parsed(longest).where.size() == 23);
}

TEST_CASE("sums that do not fit are none, and averages of them are right") {
  constexpr std::int64_t kLarge = std::numeric_limits<std::int64_t>::max();
  count::Sums sums;
  for (int i = 0; i < 3; ++i) {
    count::Sums one;
    one.values = 1;
    one.add_sum(static_cast<long double>(kLarge), static_cast<std::uint64_t>(kLarge));
    one.squares = static_cast<long double>(kLarge) * static_cast<long double>(kLarge);
    sums.add(one);
    CHECK(sums.has_sum() == (i == 0));
  }
  CHECK(sums.mean() == static_cast<double>(kLarge));
  CHECK(sums.deviation() / static_cast<double>(kLarge) < 1e-6);
  count::Sums less;
  less.values = 1;
  less.add_sum(-2 * static_cast<long double>(kLarge), std::uint64_t{2});
  sums.add(less);
  CHECK(sums.has_sum());
  CHECK(sums.sum == kLarge);
}

TEST_CASE("options add to a question") {
  count::Question question = parsed("syscall:read, where error");
  REQUIRE(count::add_where(question, "comm == a || comm == b"));
  CHECK(polish(question) == "error comm comm || &&");
  REQUIRE(count::add_histogram(question, "bytes"));
  CHECK(question.aggregates.back().kind == AggregateKind::kQuantize);
  CHECK(!count::add_histogram(question, "name"));
  CHECK(!count::add_histogram(question, "result, duration"));
  CHECK(!count::add_where(question, "error, by comm"));
}

TEST_CASE("no text does harm, and what is understood can be planned or is refused") {
  const std::vector<std::string> pieces = {"syscall:",
                                           "read",
                                           "*",
                                           "|",
                                           ",",
                                           " ",
                                           "by",
                                           "comm",
                                           "name",
                                           "where",
                                           "(",
                                           ")",
                                           "!",
                                           "&&",
                                           "||",
                                           "==",
                                           "<=",
                                           "duration",
                                           "1ms",
                                           "-1",
                                           "0x",
                                           "count",
                                           "quantize",
                                           "lquantize",
                                           "\"",
                                           "'",
                                           "error",
                                           "ENOENT",
                                           "sched:switch",
                                           "tracepoint:a:b",
                                           "99999999999999999999",
                                           "1e400s",
                                           "nan",
                                           "µs",
                                           "\xff",
                                           std::string(1, '\0'),
                                           "sum(bytes)",
                                           "softirq:",
                                           "arg5",
                                           ":",
                                           "inf"};
  std::mt19937 engine(7);
  std::size_t understood = 0;
  for (int round = 0; round < 60'000; ++round) {
    std::string text = round % 2 == 0 ? "syscall:*, where " : "";
    for (std::size_t length = engine() % 12; length != 0; --length)
      text += pieces[engine() % pieces.size()] + (engine() % 3 == 0 ? " " : "");
    auto question = count::parse_question(text);
    if (!question) {
      REQUIRE(!question.error().sentence.empty());
      REQUIRE(question.error().causes.size() == 2);
      continue;
    }
    ++understood;
    count::complete(*question);
    const auto plan = record::plan_count(*question, record::event_names(question->probe), {});
    if (!plan) continue;
    REQUIRE(plan->value_words >= 1);
    REQUIRE(plan->value_words <= KUTRACE_COUNT_WORDS);
    REQUIRE(plan->settings.tests <= KUTRACE_COUNT_STEPS_OF_TEST);
    REQUIRE(plan->settings.keys <= KUTRACE_COUNT_KEY_SLOTS);
  }
  CHECK(understood > 500);
}

TEST_CASE("sums of CPUs and intervals become one") {
  count::Sums sums;
  sums.add({});
  CHECK(sums.values == 0);
  CHECK(sums.deviation() == 0);
  sums.add({2, 10, 10, 52, 4, 6, {{4, 2}}});
  sums.add({});  // nothing has no least value
  sums.add({1, -2, -2, 4, -2, -2, {{-2, 1}}});
  CHECK(sums.values == 3);
  CHECK(sums.least == -2);
  CHECK(sums.greatest == 6);
  CHECK(sums.mean() == Approx(8.0 / 3));
  CHECK(sums.deviation() == Approx(3.3993463));  // of 4, 6, -2
  CHECK(sums.counts.size() == 2);
}

TEST_CASE("buckets of the programs are DTrace's bounds") {
  const auto question = parsed("syscall:read, quantize(result), quantize(bytes)");
  const auto plan = record::plan_count(question, record::event_names(Probe::kSyscall), {});
  REQUIRE(plan);
  std::vector<std::uint64_t> words(plan->value_words);
  REQUIRE(words.size() == 128 + 64);
  words[64] = 5;        // 0
  words[65] = 1;        // 1
  words[65 + 62] = 1;   // 2^62
  words[63] = 2;        // -1
  words[0] = 1;         // the least number there is
  words[128] = 3;       // 0
  words[128 + 11] = 4;  // 2^10
  const auto sums = record::sums_of(*plan, question, words);
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  CHECK(sums[0].counts == std::map<std::int64_t, std::uint64_t>{
                              {kLeast, 1}, {-1, 2}, {0, 5}, {1, 1}, {std::int64_t{1} << 62, 1}});
  CHECK(sums[1].counts == std::map<std::int64_t, std::uint64_t>{{0, 3}, {1024, 4}});
  CHECK(sums[0].values == 10);
}

}  // namespace kutrace::test
