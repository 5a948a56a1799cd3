// SPDX-License-Identifier: BSD-3-Clause
// Joining WIDE entries to their calls.
#include "spans/wide_numbers.h"

#include <utility>

#include "format/call_number.h"
#include "kutrace/abi.h"

namespace kutrace::spans {

void WideNumbers::push(const timeline::Event& event) {
  const decode::Entry& entry = event.entry;
  if (event.cpu >= cpus_.size() || entry.words < KUTRACE_WIDE_WORDS) return;
  cpus_[event.cpu] = {
      .holds = entry.arg,
      .time = event.time,
      .number = entry.payload_word(0),
      .arg = entry.payload_word(1),
      .result = static_cast<std::int64_t>(entry.payload_word(2)),
  };
}

void WideNumbers::widen(const timeline::Event& event, CallNumbers& numbers) {
  Wide& wide = cpus_[event.cpu];
  const std::uint32_t holds = std::exchange(wide.holds, 0);
  // Its call is lost, and this one is another.
  if (wide.time != event.time || event_class(numbers.call) != EventClass::kSyscall) return;
  const bool has_number = (holds & KUTRACE_WIDE_NUMBER) != 0;
  if (has_number && numbers.call == KUTRACE_UNKNOWN_CALL && wide.number < kWideSyscall) {
    numbers.call = numbered_call_event(static_cast<unsigned>(wide.number));
  }
  if ((holds & KUTRACE_WIDE_ARGUMENT) != 0) numbers.arg = wide.arg;
  if ((holds & KUTRACE_WIDE_RESULT) != 0) numbers.result = {wide.result, true};
}

}  // namespace kutrace::spans
