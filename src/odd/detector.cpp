// SPDX-License-Identifier: BSD-3-Clause
// Words that detectors share.
#include "odd/detector.h"

#include <fmt/format.h>

#include "model/thread_label.h"
#include "reports/thread_groups.h"

namespace kutrace::odd {

std::string Told::who(Row row) const {
  const Pid pid = scene.pid_of(row);
  std::string name = names.text(scene.name_of(row));
  // What is known of a number at the end is of the last thread that had it.
  if (name.empty() && scene.is_last(row)) name = reports::thread_name(pid, info, names);
  return thread_label(name, pid, info.facts);
}

std::string Told::occupant(Row row) const {
  switch (row) {
    case kIdleRow:
      return "nothing";
    case kIdleExitRow:
      return "the way out of an idle state";
    case kInterruptRow:
      return "interrupts";
    case kNoRow:
    case kNotToldRow:
      return "something that the trace does not tell";
    default:
      return who(row);
  }
}

Pid Told::process_of(Row row) const { return reports::process_of(scene.pid_of(row), info); }

std::string from_to(const TimeWindow& when) {
  return fmt::format("--from {:.9f} --to {:.9f}", static_cast<double>(when.begin) / 1e9,
                     static_cast<double>(when.end) / 1e9);
}

std::string lasting(Ns time) {
  constexpr Ns kSecond = 1'000'000'000;
  constexpr Ns kMillisecond = 1'000'000;
  const bool is_long = time >= kSecond;
  const char* unit = is_long ? "s" : time >= kMillisecond ? "ms" : "us";
  const Ns in = is_long ? kSecond : time >= kMillisecond ? kMillisecond : 1000;
  std::string text = fmt::format("{:.3f}", static_cast<double>(time) / static_cast<double>(in));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + ' ' + unit;
}

}  // namespace kutrace::odd
