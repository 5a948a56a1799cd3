// SPDX-License-Identifier: BSD-3-Clause
// By recursive descent; how deep is limited, so that no text exhausts the stack.
#include "count/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/append_format.h"
#include "base/number_text.h"
#include "count/lexer.h"
#include "format/errno_name.h"

namespace kutrace::count {

namespace {

constexpr int kMostDepth = 32;
constexpr std::size_t kCommBytes = 15;  // of a thread's name in the kernel

constexpr std::array kProbes = {Probe::kSyscall, Probe::kSwitch,   Probe::kWakeup,
                                Probe::kOffCpu,  Probe::kRunQueue, Probe::kIrq,
                                Probe::kSoftirq, Probe::kFault,    Probe::kTracepoint};
constexpr std::array kAggregates = {AggregateKind::kCount,    AggregateKind::kSum,
                                    AggregateKind::kMin,      AggregateKind::kMax,
                                    AggregateKind::kAvg,      AggregateKind::kStddev,
                                    AggregateKind::kQuantize, AggregateKind::kLquantize};

// Errors of two names; errno_name() knows the first.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> kOtherErrnoNames = {
    {{"EWOULDBLOCK", EWOULDBLOCK}, {"EDEADLOCK", EDEADLOCK}, {"ENOTSUP", ENOTSUP}}};

struct NumberUnit {
  std::string_view suffix;
  double factor;
};
constexpr std::array<NumberUnit, 8> kTimeUnits = {{{"ns", 1},
                                                   {"us", 1e3},
                                                   {"µs", 1e3},
                                                   {"ms", 1e6},
                                                   {"s", 1e9},
                                                   {"m", 60e9},
                                                   {"min", 60e9},
                                                   {"h", 3600e9}}};
constexpr std::array<NumberUnit, 7> kSizeUnits = {{{"k", 1024},
                                                   {"K", 1024},
                                                   {"m", 1048576},
                                                   {"M", 1048576},
                                                   {"g", 1073741824},
                                                   {"G", 1073741824},
                                                   {"B", 1}}};

// The fields of this kind that events of the probe have.
std::string fields_text(Probe probe, bool (*wanted)(const FieldInfo&)) {
  std::string text;
  for (std::size_t i = 0; i < kFields; ++i) {
    const auto field = static_cast<Field>(i);
    if (!has_field(probe, field) || !wanted(info(field))) continue;
    append_format(text, "{}{}", text.empty() ? "" : ", ", info(field).word);
  }
  return text;
}

bool is_key(const FieldInfo& field) { return field.is_key; }
bool is_measure(const FieldInfo& field) { return field.is_measure; }

// Stacks, and names with numbers, are what is counted by, not compared.
bool can_be_compared(Field field) {
  return !info(field).is_text || field == Field::kName || field == Field::kComm;
}

std::string compared_text(Probe probe) {
  std::string text;
  for (std::size_t i = 0; i < kFields; ++i) {
    const auto field = static_cast<Field>(i);
    if (!has_field(probe, field) || !can_be_compared(field)) continue;
    append_format(text, "{}{}", text.empty() ? "" : ", ", info(field).word);
  }
  return text;
}

std::string probes_text() {
  return "syscall:NAME, sched:switch, sched:wakeup, sched:off-cpu, sched:run-queue, irq:NAME, "
         "softirq:NAME, fault:user, fault:kernel, tracepoint:GROUP:NAME; * stands for all names";
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::int64_t> scaled(std::string_view number, double factor) {
  if (factor == 1) {
    if (number.starts_with("0x")) return parse_number<std::int64_t>(number.substr(2), 16);
    if (number.starts_with("-0x")) {
      const auto size = parse_number<std::uint64_t>(number.substr(3), 16);
      constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
      if (!size || *size > kMost) return std::nullopt;
      return static_cast<std::int64_t>(-*size);
    }
    if (const auto whole = parse_number<std::int64_t>(number)) return whole;
  }
  const auto value = parse_number<double>(number);
  constexpr double kFar = 9.2e18;
  if (!value || !(std::abs(*value * factor) < kFar)) return std::nullopt;
  const double product = *value * factor;
  return std::floor(product) == product || factor != 1 ? std::optional(std::llround(product))
                                                       : std::nullopt;
}

template <std::size_t kUnits>
std::optional<std::int64_t> with_unit(std::string_view text,
                                      const std::array<NumberUnit, kUnits>& units) {
  for (const NumberUnit& unit : units) {
    if (!text.ends_with(unit.suffix)) continue;
    const std::string_view number = text.substr(0, text.size() - unit.suffix.size());
    if (const auto value = scaled(number, unit.factor)) return value;
  }
  return std::nullopt;
}

std::optional<std::int64_t> errno_number(std::string_view name) {
  for (const auto& [other, number] : kOtherErrnoNames)
    if (other == name) return number;
  for (std::int64_t number = 1; number <= kMostErrno; ++number)
    if (errno_name(-number) == name) return number;
  return std::nullopt;
}

bool is_argument(Field field) { return field >= Field::kArg0 && field <= Field::kArg5; }

std::optional<std::int64_t> number_of(Field field, std::string_view text) {
  if (info(field).unit == Unit::kNanoseconds)
    return text == "0" ? std::optional<std::int64_t>(0) : with_unit(text, kTimeUnits);
  if (field == Field::kError)
    if (const auto number = errno_number(text)) return number;
  if (const auto number = scaled(text, 1)) return number;
  // The bits of a register.
  if (is_argument(field) && text.starts_with("0x"))
    if (const auto bits = parse_number<std::uint64_t>(text.substr(2), 16))
      return static_cast<std::int64_t>(*bits);
  const bool is_size = field == Field::kBytes || field == Field::kResult || info(field).is_signed;
  return is_size ? with_unit(text, kSizeUnits) : std::nullopt;
}

std::string number_hint(Field field) {
  if (info(field).unit == Unit::kNanoseconds) return "a time has a unit: 500ns, 20us, 1.5ms, 2s";
  if (field == Field::kError) return "an error is a name or a number: ENOENT, 2";
  return "a whole number, such as 17, -1, 0x80, 64k";
}

class Parser {
 public:
  Parser(std::string_view text, Question& question) : lexer_(text), question_(question) {}

  Status question() {
    KUTRACE_TRY(probe(lexer_.next_probe()));
    advance();
    while (token_.kind != Token::Kind::kEnd) {
      if (!token_.is_sign(",")) return fail(wrong("a comma is missing").with_hint(parts_hint()));
      advance();
      KUTRACE_TRY(part());
    }
    return {};
  }

  Status condition() {
    advance();
    KUTRACE_TRY(one_more_condition());
    return at_end();
  }

  Status histogram() {
    advance();
    Aggregate aggregate{AggregateKind::kQuantize, Field::kDuration, {}};
    KUTRACE_TRY(measure(aggregate));
    KUTRACE_TRY(keep(aggregate, token_));
    return at_end();
  }

 private:
  void advance() { token_ = lexer_.next(); }
  Error wrong(std::string sentence) const { return mistake(token_, std::move(sentence)); }
  Error mistake(const Token& where, std::string sentence) const {
    return count::mistake(lexer_.text(), where, std::move(sentence));
  }

  Status at_end() const {
    if (token_.kind == Token::Kind::kEnd) return {};
    return fail(wrong("nothing may follow here"));
  }

  static std::string parts_hint() {
    return "kutrace count 'PROBE, by KEY, AGGREGATE(MEASURE), where CONDITION'";
  }

  Status probe(const Token& token) {
    if (token.kind == Token::Kind::kEnd)
      return fail(mistake(token, "what is to be counted?").with_hint(probes_text()));
    const std::size_t colon = token.text.find(':');
    const std::string_view group = token.text.substr(0, colon);
    const std::string_view rest =
        colon == std::string_view::npos ? std::string_view() : token.text.substr(colon + 1);
    for (const Probe probe : kProbes) {
      if (info(probe).word != group) continue;
      question_.probe = probe;
      if (!info(probe).event.empty() && info(probe).event != rest) continue;
      return names(token, rest);
    }
    return fail(mistake(token, "there is no such probe").with_hint(probes_text()));
  }

  Status names(const Token& token, std::string_view rest) {
    if (!info(question_.probe).event.empty()) return {};
    const bool is_tracepoint = question_.probe == Probe::kTracepoint;
    question_.names = split(rest, is_tracepoint ? ':' : '|');
    const bool has_empty = std::ranges::any_of(question_.names, &std::string::empty);
    if (is_tracepoint && (question_.names.size() != 2 || has_empty))
      return fail(mistake(token, "a tracepoint has a group and a name")
                      .with_hint("tracepoint:sched:sched_process_fork"));
    if (has_empty)
      return fail(mistake(token, "the name is missing")
                      .with_hint(fmt::format("{0}:*, or one of them; {0}:a|b is either",
                                             info(question_.probe).word)));
    return {};
  }

  Status part() {
    if (token_.is_word("by")) {
      advance();
      in_keys_ = true;
      return key();
    }
    if (token_.is_word("where")) {
      in_keys_ = false;
      advance();
      return one_more_condition();
    }
    for (const AggregateKind kind : kAggregates)
      if (token_.is_word(word_of(kind))) return aggregate(kind);
    if (in_keys_) return key();
    return fail(wrong("here may stand by, where or an aggregate")
                    .with_hint("by comm; where error; count, sum(bytes), min, max, avg, "
                               "stddev, quantize(duration), lquantize(duration, 0, 10ms, 1ms)"));
  }

  Result<Field> field(const char* what, bool (*wanted)(const FieldInfo&)) {
    const Field* found = token_.kind == Token::Kind::kWord ? find_field(token_.text) : nullptr;
    if (found == nullptr || !wanted(info(*found))) {
      return fail(wrong(fmt::format("this is no {}", what))
                      .with_hint(fields_text(question_.probe, wanted)));
    }
    if (!has_field(question_.probe, *found)) {
      return fail(wrong(fmt::format("{} have no {}", info(question_.probe).many, token_.text))
                      .with_hint(fields_text(question_.probe, wanted)));
    }
    return *found;
  }

  Status key() {
    KUTRACE_ASSIGN(const Field key, field("key", is_key));
    if (std::ranges::find(question_.keys, key) != question_.keys.end())
      return fail(wrong("it is a key already"));
    if (question_.keys.size() == kMostKeys)
      return fail(wrong(fmt::format("there are {} keys at most", kMostKeys)));
    question_.keys.push_back(key);
    advance();
    return {};
  }

  Status measure(Aggregate& aggregate) {
    KUTRACE_ASSIGN(aggregate.of, field("measure", is_measure));
    return {};
  }

  Status keep(const Aggregate& aggregate, const Token& name) {
    if (question_.aggregates.size() == kMostAggregates)
      return fail(mistake(name, fmt::format("there are {} aggregates at most", kMostAggregates)));
    const bool is_there = std::ranges::any_of(question_.aggregates, [&](const Aggregate& other) {
      return other.kind == aggregate.kind && other.of == aggregate.of;
    });
    if (is_there) return fail(mistake(name, "it is asked for already"));
    question_.aggregates.push_back(aggregate);
    advance();
    return {};
  }

  Status expect(std::string_view sign) {
    if (!token_.is_sign(sign)) return fail(wrong(fmt::format("a {} is missing", sign)));
    advance();
    return {};
  }

  Status aggregate(AggregateKind kind) {
    in_keys_ = false;
    const Token name = token_;
    Aggregate aggregate;
    aggregate.kind = kind;
    if (kind == AggregateKind::kCount) {
      KUTRACE_TRY(keep(aggregate, name));
      if (!token_.is_sign("(")) return {};
      advance();
      return expect(")");
    }
    advance();
    KUTRACE_TRY(expect("("));
    KUTRACE_TRY(measure(aggregate));
    advance();
    if (kind == AggregateKind::kLquantize) KUTRACE_TRY(linear(aggregate));
    if (!token_.is_sign(")")) return fail(wrong("a ) is missing"));
    return keep(aggregate, name);
  }

  Status linear(Aggregate& aggregate) {
    std::array<std::int64_t, 3> numbers{};
    const Token first = token_;
    for (std::int64_t& number : numbers) {
      KUTRACE_TRY(expect(","));
      KUTRACE_ASSIGN(number, this->number(aggregate.of));
      advance();
    }
    const auto bounds = linear_bounds(numbers[0], numbers[1], numbers[2]);
    if (!bounds) {
      return fail(mistake(first, fmt::format("the steps do not fit: least below most, at most {} "
                                             "steps",
                                             kMostLinearSteps))
                      .with_hint("lquantize(duration, 0, 10ms, 1ms)"));
    }
    aggregate.bounds = *bounds;
    return {};
  }

  Result<std::int64_t> number(Field field) const {
    const bool is_text = token_.kind == Token::Kind::kWord || token_.kind == Token::Kind::kQuoted;
    const auto number = is_text ? number_of(field, token_.text) : std::nullopt;
    if (number) return *number;
    return fail(wrong(fmt::format("this is nothing that {} can be compared with", info(field).word))
                    .with_hint(number_hint(field)));
  }

  Status push(Step step, const Token& where) {
    if (question_.where.size() == kMostSteps) {
      return fail(mistake(where, fmt::format("the condition is too long: {} comparisons, && and "
                                             "|| are taken",
                                             kMostSteps)));
    }
    question_.where.push_back(std::move(step));
    return {};
  }

  Status push(Step::Kind kind, const Token& where) {
    Step step;
    step.kind = kind;
    return push(std::move(step), where);
  }

  Status one_more_condition() {
    const bool is_more = !question_.where.empty();
    const Token first = token_;
    KUTRACE_TRY(any_of());
    return is_more ? push(Step::Kind::kAnd, first) : Status();
  }

  Status any_of() {
    KUTRACE_TRY(all_of());
    while (token_.is_sign("||")) {
      const Token sign = token_;
      advance();
      KUTRACE_TRY(all_of());
      KUTRACE_TRY(push(Step::Kind::kOr, sign));
    }
    return {};
  }

  Status all_of() {
    KUTRACE_TRY(term());
    while (token_.is_sign("&&")) {
      const Token sign = token_;
      advance();
      KUTRACE_TRY(term());
      KUTRACE_TRY(push(Step::Kind::kAnd, sign));
    }
    return {};
  }

  Status term() {
    if (++depth_ > kMostDepth) return fail(wrong("this is nested too deep"));
    Status done = nested_term();
    --depth_;
    return done;
  }

  Status nested_term() {
    const Token first = token_;
    if (token_.is_sign("!")) {
      advance();
      KUTRACE_TRY(term());
      return push(Step::Kind::kNot, first);
    }
    if (token_.is_sign("(")) {
      advance();
      KUTRACE_TRY(any_of());
      return expect(")");
    }
    return test();
  }

  static std::optional<Compare> comparison(const Token& sign) {
    if (sign.kind != Token::Kind::kSign) return std::nullopt;
    if (sign.text == "==") return Compare::kEqual;
    if (sign.text == "!=") return Compare::kUnequal;
    if (sign.text == "<") return Compare::kLess;
    if (sign.text == "<=") return Compare::kAtMost;
    if (sign.text == ">") return Compare::kMore;
    if (sign.text == ">=") return Compare::kAtLeast;
    return std::nullopt;
  }

  Result<Field> compared_field() {
    const Field* found = token_.kind == Token::Kind::kWord ? find_field(token_.text) : nullptr;
    const std::string hint = compared_text(question_.probe);
    if (found == nullptr)
      return fail(wrong("here may stand what is compared, ! or (").with_hint(hint));
    if (!has_field(question_.probe, *found)) {
      return fail(wrong(fmt::format("{} have no {}", info(question_.probe).many, token_.text))
                      .with_hint(hint));
    }
    if (!can_be_compared(*found))
      return fail(wrong(fmt::format("{} cannot be compared", token_.text)).with_hint(hint));
    return *found;
  }

  Status test() {
    const Token first = token_;
    Step step;
    KUTRACE_ASSIGN(step.field, compared_field());
    advance();
    const auto compare = comparison(token_);
    if (!compare) {
      if (token_.is_sign("=")) return fail(wrong("two = compare").with_hint("=="));
      if (info(step.field).is_text)
        return fail(wrong(fmt::format("what is {} compared with?", info(step.field).word))
                        .with_hint("comm == nginx, name != \"read*\""));
      step.compare = Compare::kUnequal;
      return push(std::move(step), first);
    }
    step.compare = *compare;
    const Token sign = token_;
    advance();
    KUTRACE_TRY(info(step.field).is_text ? text(step, sign) : number(step));
    return push(std::move(step), first);
  }

  Status number(Step& step) {
    KUTRACE_ASSIGN(step.number, number(step.field));
    advance();
    return {};
  }

  Status text(Step& step, const Token& sign) {
    if (step.compare != Compare::kEqual && step.compare != Compare::kUnequal)
      return fail(mistake(sign, "a name is only equal or unequal").with_hint("== or !="));
    if (token_.kind != Token::Kind::kWord && token_.kind != Token::Kind::kQuoted)
      return fail(wrong("a name is missing").with_hint("comm == nginx, name != \"read*\""));
    step.text = token_.text;
    if (step.field == Field::kComm) KUTRACE_TRY(check_comm(step.text));
    advance();
    return {};
  }

  Status check_comm(const std::string& pattern) const {
    const std::size_t star = pattern.find('*');
    if (star != std::string::npos && star + 1 != pattern.size())
      return fail(wrong("a * in comm stands at its end").with_hint("comm == \"nginx*\""));
    if (pattern.find_first_of("?[") != std::string::npos)
      return fail(
          wrong("the only pattern of comm is a * at its end").with_hint("comm == \"nginx*\""));
    if (pattern.size() - (star == std::string::npos ? 0 : 1) > kCommBytes)
      return fail(wrong(fmt::format("names of threads have {} bytes at most", kCommBytes)));
    return {};
  }

  Lexer lexer_;
  Question& question_;
  Token token_;
  bool in_keys_ = false;
  int depth_ = 0;
};

}  // namespace

Result<Question> parse_question(std::string_view text) {
  Question question;
  KUTRACE_TRY(Parser(text, question).question());
  return question;
}

Status add_where(Question& question, std::string_view condition) {
  return Parser(condition, question).condition();
}

Status add_histogram(Question& question, std::string_view measure) {
  return Parser(measure, question).histogram();
}

void complete(Question& question) {
  if (question.aggregates.empty()) question.aggregates.emplace_back();
}

}  // namespace kutrace::count
