// SPDX-License-Identifier: BSD-3-Clause
// Comparing intervals with limits.
#include "live/trigger_watch.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/shell_pattern.h"
#include "format/event_table.h"
#include "format/wait_word.h"
#include "reports/wait_times.h"

namespace kutrace::live {

namespace {

using reports::Asked;

constexpr std::string_view kAnyThread = "*";

std::string name_of_interval(const reports::Question& question, std::string_view name) {
  switch (question.asked) {
    case Asked::kCall:
      return "call " + std::string(name);
    case Asked::kMark:
      return "mark " + question.name;
    case Asked::kRpc:
      return "RPC " + question.name;
    default:
      return "request " + question.name + std::string(reports::kBetween) + question.until;
  }
}

}  // namespace

bool is_of_spans(const Trigger& trigger) {
  return trigger.kind == TriggerKind::kInterval || trigger.kind == TriggerKind::kWait ||
         trigger.kind == TriggerKind::kDelay || trigger.kind == TriggerKind::kExit;
}

TriggerWatch::TriggerWatch(const std::vector<Trigger>& triggers, const LaneView& view, Fires fires)
    : triggers_(triggers), view_(view), fires_(std::move(fires)) {
  for (std::size_t i = 0; i < triggers_.size(); ++i) {
    if (triggers_[i].kind != TriggerKind::kInterval) continue;
    finders_.push_back(
        {i, std::make_unique<reports::IntervalFinder>(
                triggers_[i].question, view_.names,
                [this, i](const reports::Interval& interval) { found(i, interval); })});
  }
}

void TriggerWatch::fire(Firing firing) {
  firing.thread = view_.threads.of(firing.pid);
  fires_(firing);
}

void TriggerWatch::found(std::size_t trigger, const reports::Interval& interval) {
  const Trigger& asked = triggers_[trigger];
  // Two lanes see what happens while they overlap; the one whose tenure it began in speaks.
  if (interval.duration() <= asked.limit || !view_.tenure.has(interval.begin)) return;
  // An interval during which what bounds it was not recorded is none (doc/spans.md).
  if (!reports::is_seen_whole(asked.question, interval, view_.groups)) return;
  fire({.trigger = trigger,
        .what = name_of_interval(asked.question, view_.names.text(interval.name)),
        .pid = interval.pid,
        .begin = interval.begin,
        .length = interval.duration()});
}

void TriggerWatch::wait(const Span& span) {
  if (!view_.tenure.has_wait(span.pid, span.start)) return;
  const char letter = reports::wait_letter(span.event);
  for (std::size_t i = 0; i < triggers_.size(); ++i) {
    const Trigger& trigger = triggers_[i];
    const bool is_delay = trigger.kind == TriggerKind::kDelay && letter == reports::kReady;
    const bool is_wait = trigger.kind == TriggerKind::kWait && letter != reports::kReady &&
                         (trigger.reason == 0 || trigger.reason == letter);
    if ((!is_delay && !is_wait) || span.duration <= trigger.limit) continue;
    const bool is_any = trigger.pattern == kAnyThread;
    if (is_delay && !is_any && !fits(trigger.pattern, view_.threads.of(span.pid))) continue;
    fire({.trigger = i,
          .what = is_delay ? "wait for a CPU" : "wait: " + std::string(short_wait(letter)),
          .pid = span.pid,
          .begin = span.start,
          .length = span.duration});
  }
}

// Of a process, its last thread knows the status; of those that end at the same time, several are
// the last, and the first of them speaks.
void TriggerWatch::exit(const Span& span) {
  constexpr Ns kSameTime = 1'000'000'000;
  const auto pid = static_cast<Pid>(span.value);
  const std::int64_t status = span.result.value;
  if (!span.has_result || status == 0 || !view_.tenure.has(span.start)) return;
  std::erase_if(ended_, [&](const Ended& one) { return span.start - one.at > kSameTime; });
  const auto thread = static_cast<Pid>(span.arg);
  if (std::ranges::any_of(
          ended_, [&](const Ended& one) { return one.process == pid && one.thread != thread; }))
    return;
  ended_.push_back({.process = pid, .thread = thread, .at = span.start});
  for (std::size_t i = 0; i < triggers_.size(); ++i) {
    if (triggers_[i].kind != TriggerKind::kExit) continue;
    if (!fits(triggers_[i].pattern, view_.threads.of(pid))) continue;
    fire({.trigger = i, .what = "exit", .pid = pid, .begin = span.start, .status = status});
  }
}

void TriggerWatch::push(const Span& span) {
  if (span.kind == SpanKind::kWait && !view_.tenure.is_over) wait(span);
  if (span.kind == SpanKind::kPoint && span.event == ev::kEXIT) exit(span);
  for (const Finder& one : finders_) one.finder->push(span);
}

// When a lane ends, a call that it alone saw begin, and that is open still, is told of.
void TriggerWatch::unfinished(const Call& call) {
  // Where the begin is inferred, so is the length.
  if (call.kind != SpanKind::kSyscall || call.begin_inferred || !view_.tenure.has(call.begin))
    return;
  for (std::size_t i = 0; i < triggers_.size(); ++i) {
    const Trigger& trigger = triggers_[i];
    if (trigger.kind != TriggerKind::kInterval || trigger.question.asked != Asked::kCall) continue;
    const std::string& name = view_.names.text(call.name);
    if (call.duration() <= trigger.limit || !fits(trigger.question.name, name)) continue;
    fire({.trigger = i,
          .what = name_of_interval(trigger.question, name),
          .pid = call.pid,
          .begin = call.begin,
          .length = call.duration(),
          .goes_on = true});
  }
}

void TriggerWatch::call(const Call& call) {
  if (view_.tenure.is_over) return unfinished(call);
  for (const Finder& one : finders_) one.finder->call(call);
}

}  // namespace kutrace::live
