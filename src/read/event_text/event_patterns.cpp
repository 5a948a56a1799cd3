// SPDX-License-Identifier: BSD-3-Clause
// A pattern is text with places: what stands between two pieces of its text goes to a place.
#include "read/event_text/event_patterns.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/number_text.h"

namespace kutrace::read {

namespace {

using enum What;

// {0} to {6}: numbers, {x0} to {x6}: in hexadecimal digits; {s1}: state of a thread that is left;
// {h1}: whether an interrupt was handled; {a}, {b}: texts; {}: anything. A pattern need not tell
// how the text ends.
struct Pattern {
  What what;
  std::string_view text;
};

constexpr Pattern kPatterns[] = {
    {kSwitch,
     "prev_comm={a} prev_pid={0} prev_prio={} prev_state={s1} ==> next_comm={b} next_pid={2} "
     "next_prio="},
    {kSwitch, "{a}:{0} [{}] {s1} ==> {b}:{2} ["},
    {kWaking, "comm={a} pid={0} prio="},
    {kWaking, "{a}:{0} ["},
    {kWakeup, "comm={a} pid={0} prio="},
    {kWakeup, "{a}:{0} ["},
    {kWakeupNew, "comm={a} pid={0} prio="},
    {kWakeupNew, "{a}:{0} ["},
    {kFork, "comm={a} pid={0} child_comm={b} child_pid={1}"},
    {kNewTask, "pid={0} comm={a} clone_flags={x1} "},
    {kExec, "filename={} pid={0} old_pid={1}"},
    {kRename, "pid={0} oldcomm={a} newcomm={b} oom_score_adj="},
    {kExit, "comm={a} pid={0} prio="},
    {kSyscall, "NR {0} ({x1}, {x2}, {x3}, {x4}, {x5}, {x6})"},
    {kSyscallReturn, "NR {0} = {1}"},
    {kIrq, "irq={0} name={a}"},
    {kIrqReturn, "irq={0} ret={h1}"},
    {kVector, "vector={0}"},
    {kVectorReturn, "vector={0}"},
    {kSoftirq, "vec={0} "},
    {kSoftirqReturn, "vec={0} "},
    {kNmi, "{}() delta_ns: {0} handled: {1}"},
    {kFault, "address={} ip={} error_code={x0}"},
    {kSendIpi, "cpu={0} "},
    {kSendIpis, "{}"},
    {kIpi, "({a})"},
    {kIpiReturn, "({a})"},
    {kIdle, "state={0} cpu_id={1}"},
    {kFrequency, "state={0} cpu_id={1}"},
};

constexpr std::size_t kLongestText = 64;

std::optional<std::int64_t> number_in(std::string_view text, bool is_hex) {
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    is_hex = true;
  }
  if (!is_hex) return parse_number<std::int64_t>(text);
  const auto value = parse_number<std::uint64_t>(text, 16);
  return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

class Matcher {
 public:
  explicit Matcher(KernelEvent& event) : event_(event) {}

  bool match(std::string_view pattern, std::string_view text) {
    const std::size_t open = pattern.find('{');
    const std::string_view begin = pattern.substr(0, open);
    if (!text.starts_with(begin)) return false;
    if (open == pattern.npos) return true;
    text.remove_prefix(begin.size());
    const std::size_t close = pattern.find('}', open);
    const std::string_view place = pattern.substr(open + 1, close - open - 1);
    pattern.remove_prefix(close + 1);
    const bool is_text = place == "a" || place == "b";
    const std::string_view next = pattern.substr(0, pattern.find('{'));
    if (next.empty()) {
      // Numbers and words end at a blank, texts with the line.
      if (!is_text && !place.empty()) text = text.substr(0, text.find(' '));
      return take(place, text);
    }
    // A text may hold what stands behind it.
    for (std::size_t end = text.find(next); end != text.npos; end = text.find(next, end + 1)) {
      if (is_text && end > kLongestText) return false;
      if (take(place, text.substr(0, end)) && match(pattern, text.substr(end))) return true;
      if (!is_text) return false;
    }
    return false;
  }

 private:
  bool take(std::string_view place, std::string_view text) {
    if (place.empty()) return true;
    if (place == "a" || place == "b") {
      event_.set_text(place == "a" ? 0 : 1, text);
      return true;
    }
    const auto i = static_cast<std::size_t>(place.back() - '0');
    std::optional<std::int64_t> value;
    if (place.front() == 's') {
      if (!text.empty()) value = text.front() == 'R' ? 0 : 1;
    } else if (place.front() == 'h') {
      if (text == "handled" || text == "unhandled") value = text == "handled" ? 1 : 0;
    } else {
      value = number_in(text, place.front() == 'x');
    }
    if (!value) return false;
    event_.numbers[i] = *value;
    event_.known = std::max<std::uint8_t>(event_.known, static_cast<std::uint8_t>(i + 1));
    return true;
  }

  KernelEvent& event_;
};

}  // namespace

bool parse_event_text(What what, std::string_view text, KernelEvent& event) {
  event.what = what;
  return std::ranges::any_of(kPatterns, [&](const Pattern& pattern) {
    event.known = 0;
    return pattern.what == what && Matcher(event).match(pattern.text, text);
  });
}

}  // namespace kutrace::read
