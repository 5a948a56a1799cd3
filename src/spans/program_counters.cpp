// SPDX-License-Identifier: BSD-3-Clause
// Threads of one process that count under one name count the same.
#include "spans/program_counters.h"

#include <algorithm>

#include "base/number_text.h"
#include "base/text.h"

namespace kutrace::spans {

void ProgramCounters::mark(Pid thread, std::string_view label, Ns time) {
  const std::size_t sign = label.rfind('=');
  if (sign == std::string_view::npos || sign == 0) return;
  const auto value = parse_number<std::int64_t>(label.substr(sign + 1));
  if (!value) return;
  if (readings_.size() == kMostReadings) {
    ++left_out_;
    return;
  }
  const auto counter =
      counters_.try_emplace({thread, std::string(label.substr(0, sign))}, counters_.size()).first;
  readings_.push_back({.at = time, .counter = counter->second, .value = *value});
}

CounterRecords ProgramCounters::records(std::uint32_t first, const ThreadTable& threads) const {
  CounterRecords records;
  std::uint32_t next = first;
  std::map<std::pair<Pid, std::string>, std::uint32_t> numbers;  // of a process, by name
  std::vector<std::uint32_t> number_of(counters_.size());
  for (const auto& [who, counter] : counters_) {
    const Thread* const thread = threads.find(who.first);
    const bool is_told = thread != nullptr && thread->info.process != kNoPid;
    const auto [known, is_new] =
        // At the end, when it is known which process each thread belongs to.
        numbers.try_emplace({is_told ? thread->info.process : who.first, who.second}, next);
    number_of[counter] = known->second;
    if (!is_new) continue;
    records.series.push_back(
        {next++, false, std::string(kProgramUnit), known->first.first, printable(who.second)});
  }
  for (const Reading& reading : readings_)
    records.readings.push_back({reading.at, {{number_of[reading.counter], reading.value}}});
  std::ranges::stable_sort(records.readings, {}, &CounterReading::at);
  return records;
}

}  // namespace kutrace::spans
