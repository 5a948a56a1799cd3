// SPDX-License-Identifier: BSD-3-Clause
// Reading triggers.
#include "live/trigger.h"

#include <sys/utsname.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/number_text.h"
#include "base/time_length.h"
#include "format/syscall_names.h"
#include "format/wait_word.h"
#include "reports/wait_times.h"

namespace kutrace::live {

namespace {

using reports::Asked;
using reports::Question;

constexpr std::string_view kExamples =
    "write for example call:fsync>10ms, mark:work>5ms, request:recvfrom..sendto>1ms, "
    "wait:disk>50ms, delay>20ms, exit, psi:cpu>20%, load>8 or log:'*I/O error*'";

// "call:fsync>10ms": kind, which, limit.
struct TriggerWords {
  std::string kind;
  std::string which;
  std::string limit;
  bool has_which = false;
  bool has_limit = false;
};

Error trigger_error(const Trigger& trigger, std::string_view what) {
  return usage_error("--when '" + trigger.text + "': " + std::string(what))
      .with_hint(std::string(kExamples));
}

// Of a line of the log everything behind the colon is the pattern.
TriggerWords split_trigger(const std::string& text) {
  TriggerWords words;
  const std::size_t colon = text.find(':');
  const bool is_log = text.substr(0, colon) == "log";
  // The last one: what stands before it, a label or a pattern, may hold such a sign itself.
  const std::size_t sign = is_log ? std::string::npos : text.rfind('>');
  std::string head = text.substr(0, sign);
  if (sign != std::string::npos) {
    words.has_limit = true;
    words.limit = text.substr(sign + 1);
  }
  const std::size_t at = head.find(':');
  words.kind = head.substr(0, at);
  words.has_which = at != std::string::npos;
  if (words.has_which) words.which = head.substr(at + 1);
  return words;
}

std::string all_reasons() {
  std::string all;
  for (const char letter : wait_letters())
    if (letter != reports::kReady) all += ' ' + std::string(short_wait(letter));
  return all;
}

Result<double> level_of(const Trigger& trigger, std::string_view text) {
  const std::optional<double> level = parse_number<double>(text);
  // (What is no number is refused by this, too.)
  if (!level || !(*level >= 0 && *level <= 1e6))
    return fail(trigger_error(trigger, "'" + std::string(text) + "' is not a number"));
  return *level;
}

Result<Ns> limit_of(const Trigger& trigger, const TriggerWords& words) {
  const Result<Ns> limit = parse_time(words.limit);
  if (limit) return *limit;
  return fail(trigger_error(
      trigger, words.has_limit ? limit.error().sentence : "says nothing of how long is too long"));
}

bool has_call(std::span<const NumberedName> calls, std::string_view name) {
  return std::ranges::find(calls, name, &NumberedName::name) != calls.end();
}

// A pattern, or the name of a call that there is.
Status check_call(const Trigger& trigger, const std::string& name) {
  utsname host{};
  const bool is_pattern = name.find_first_of("*?\\") != std::string::npos;
  if ((is_pattern && name.find('>') == std::string::npos) || uname(&host) != 0) return {};
  const auto calls = syscall_names(host.machine);
  if (calls.empty() || has_call(calls, name) || has_call(syscall32_names(host.machine), name))
    return {};
  return fail(trigger_error(trigger, "there is no system call '" + name + "'"));
}

Status check_calls(const Trigger& trigger) {
  constexpr std::string_view kNext = "next";
  const Question& question = trigger.question;
  if (question.asked != Asked::kCall && question.asked != Asked::kRequest) return {};
  KUTRACE_TRY(check_call(trigger, question.name));
  if (question.asked == Asked::kCall || question.until == kNext) return {};
  return check_call(trigger, question.until);
}

Result<Trigger> interval_trigger(Trigger trigger, const TriggerWords& words) {
  if (words.which.empty()) return fail(trigger_error(trigger, "says nothing of which"));
  if (words.kind == "request") {
    KUTRACE_ASSIGN(trigger.question, reports::request_of(words.which));
  } else {
    const Asked asked = words.kind == "call"   ? Asked::kCall
                        : words.kind == "mark" ? Asked::kMark
                                               : Asked::kRpc;
    trigger.question = Question{.asked = asked, .name = words.which};
  }
  KUTRACE_TRY(check_calls(trigger));
  KUTRACE_ASSIGN(trigger.limit, limit_of(trigger, words));
  return trigger;
}

Result<Trigger> wait_trigger(Trigger trigger, const TriggerWords& words) {
  trigger.kind = TriggerKind::kWait;
  if (words.has_which && words.which != "*") {
    const std::optional<char> reason = wait_called(words.which);
    if (!reason)
      return fail(trigger_error(trigger, "there is no such reason; these are:" + all_reasons()));
    if (*reason == reports::kReady)
      return fail(trigger_error(trigger, "of the wait for a CPU, write delay"));
    trigger.reason = *reason;
  }
  KUTRACE_ASSIGN(trigger.limit, limit_of(trigger, words));
  return trigger;
}

Result<Trigger> pressure_trigger(Trigger trigger, const TriggerWords& words) {
  trigger.kind = TriggerKind::kPressure;
  trigger.resource = words.which;
  if (words.which != "cpu" && words.which != "memory" && words.which != "io")
    return fail(trigger_error(trigger, "pressure is of cpu, memory or io"));
  std::string_view level = words.limit;
  if (level.ends_with('%')) level.remove_suffix(1);
  KUTRACE_ASSIGN(trigger.level, level_of(trigger, level));
  constexpr double kAll = 100;
  if (trigger.level >= kAll) return fail(trigger_error(trigger, "pressure is never above 100 %"));
  return trigger;
}

}  // namespace

EventGroup needed_group(const Trigger& trigger) {
  switch (trigger.kind) {
    case TriggerKind::kInterval:
      return EventGroup::kSyscalls;  // and marks
    case TriggerKind::kWait:
    case TriggerKind::kDelay:
      return EventGroup::kWakeups;
    case TriggerKind::kExit:
      return EventGroup::kProcesses;
    default:
      return EventGroup::kAlways;
  }
}

Result<Trigger> parse_trigger(const std::string& text) {
  Trigger trigger;
  trigger.text = text;
  const TriggerWords words = split_trigger(text);
  const std::string& kind = words.kind;
  if (kind == "call" || kind == "mark" || kind == "rpc" || kind == "request")
    return interval_trigger(std::move(trigger), words);
  if (kind == "wait") return wait_trigger(std::move(trigger), words);
  if (kind == "psi") return pressure_trigger(std::move(trigger), words);
  if (words.has_which && words.which.empty())
    return fail(trigger_error(trigger, "says nothing of which"));
  if (words.has_which) trigger.pattern = words.which;
  if (kind == "delay") {
    trigger.kind = TriggerKind::kDelay;
    KUTRACE_ASSIGN(trigger.limit, limit_of(trigger, words));
    return trigger;
  }
  if (kind == "load" && !words.has_which) {
    trigger.kind = TriggerKind::kLoad;
    KUTRACE_ASSIGN(trigger.level, level_of(trigger, words.limit));
    return trigger;
  }
  if (kind == "exit" && !words.has_limit) {
    trigger.kind = TriggerKind::kExit;
    return trigger;
  }
  if (kind == "log" && words.has_which) {
    trigger.kind = TriggerKind::kLog;
    return trigger;
  }
  return fail(trigger_error(trigger, "is not a trigger"));
}

}  // namespace kutrace::live
