// SPDX-License-Identifier: BSD-3-Clause
// From the number of the CPU to both sides.
#include "read/event_text/event_line.h"

#include <algorithm>
#include <limits>

#include "base/number_text.h"

namespace kutrace::read {

namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::size_t kNsDigits = 9;
constexpr std::size_t kUsecDigits = 6;

std::string_view without_end_blanks(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r");
  return last == text.npos ? std::string_view() : text.substr(0, last + 1);
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == text.npos ? std::string_view() : without_end_blanks(text.substr(first));
}

// Up to the next blank, which goes, too.
std::string_view take_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(word.size());
  return word;
}

// "comm-12", "comm  12", "comm  11/12", "12", "comm-12  (  11)"; a number below 0: it is not known.
bool parse_thread(std::string_view text, EventLine& line) {
  text = without_blanks(text);
  if (text.ends_with(')')) text = without_end_blanks(text.substr(0, text.rfind('(')));
  const std::size_t digits = text.find_last_not_of("0123456789") + 1;
  const auto pid = parse_number<Pid>(text.substr(digits));
  if (!pid) return false;
  line.pid = *pid;
  if (digits == 0) return true;
  std::string_view name = text.substr(0, digits - 1);
  const std::size_t blank = name.find_last_of(kBlanks) + 1;
  switch (text[digits - 1]) {
    case '/':
      if (!parse_number<Pid>(name.substr(blank))) return false;
      name = name.substr(0, blank);
      break;
    case '-':
      if (blank == name.size()) line.pid = kNoPid;
      break;
    case ' ':
    case '\t':
      break;
    default:
      return false;
  }
  line.thread = without_blanks(name);
  return true;
}

// "12.000345:"; any number of digits behind the point.
bool parse_time(std::string_view word, EventLine& line) {
  if (!word.ends_with(':')) return false;
  word.remove_suffix(1);
  const std::size_t point = word.find('.');
  if (point == word.npos) return false;
  const std::string_view digits = word.substr(point + 1);
  const auto seconds = parse_number<std::uint32_t>(word.substr(0, point));
  const auto fraction = parse_number<std::uint32_t>(digits);
  if (!seconds || !fraction || digits.size() > kNsDigits) return false;
  Ns ns = *fraction;
  for (std::size_t i = digits.size(); i < kNsDigits; ++i) ns *= 10;
  line.time = Ns{*seconds} * 1'000'000'000 + ns;
  line.below_usec = digits.size() > kUsecDigits;
  return true;
}

// Perf has the number of events that a sample stands for before its name.
bool parse_event(std::string_view rest, EventLine& line) {
  std::string_view word = take_word(rest);
  if (parse_number<std::uint64_t>(word)) word = take_word(rest);
  if (!word.ends_with(':') || word.size() < 2) return false;
  word.remove_suffix(1);
  line.event = word.substr(word.rfind(':') + 1);
  line.text = without_blanks(rest);
  return true;
}

// What stands behind the CPU.
bool parse_right(std::string_view rest, EventLine& line) {
  std::string_view word = take_word(rest);
  if (!parse_time(word, line)) {
    word = take_word(rest);  // behind flags
    if (!parse_time(word, line)) return false;
  }
  return parse_event(rest, line);
}

}  // namespace

std::optional<EventLine> parse_event_line(std::string_view line) {
  // A thread's name may look like a CPU's number.
  for (std::size_t at = line.find('['); at != line.npos; at = line.find('[', at + 1)) {
    const std::size_t end = line.find(']', at);
    if (end == line.npos) break;
    const auto cpu = parse_number<CpuId>(line.substr(at + 1, end - at - 1));
    EventLine found;
    if (!cpu || !parse_thread(line.substr(0, at), found)) continue;
    found.cpu = *cpu;
    if (parse_right(line.substr(end + 1), found)) return found;
  }
  return std::nullopt;
}

// ftrace: CPU:3 [LOST 12 EVENTS], [LOST EVENTS]; trace-cmd: [12 EVENTS DROPPED], [EVENTS DROPPED].
std::optional<LossLine> parse_loss_line(std::string_view line) {
  constexpr std::string_view kCpu = "CPU:";
  line = without_blanks(line);
  if (!line.starts_with(kCpu)) return std::nullopt;
  line.remove_prefix(kCpu.size());
  LossLine loss;
  const auto cpu = parse_number<CpuId>(take_word(line));
  const std::string_view told = without_blanks(line);
  const bool is_loss = told.contains("LOST") || told.contains("DROPPED");
  if (!cpu || !is_loss || !told.starts_with('[') || !told.ends_with(']')) return std::nullopt;
  loss.cpu = *cpu;
  const std::size_t digit = told.find_first_of("0123456789");
  if (digit != told.npos)
    loss.count = parse_number<std::uint64_t>(
        told.substr(digit, told.find_first_not_of("0123456789", digit) - digit));
  return loss;
}

}  // namespace kutrace::read
