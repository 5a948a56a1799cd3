// SPDX-License-Identifier: BSD-3-Clause
// Numbers to addresses to names; of one stack of one process only once.
#include "spans/stacks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kutrace/abi.h"
#include "model/stack_text.h"

namespace kutrace::spans {

Stacks::Stacks(NameTable& names, SampleNames& code, SpanSink& sink,
               const std::vector<StackRecord>& records, const TraceClock& clock, std::size_t cpus)
    : names_(names), code_(code), sink_(sink), cpus_(cpus) {
  for (const StackRecord& record : records)
    // A number may be given again: what it means depends on the time.
    records_[record.number].push_back({held_from(record.from, clock), &record.frames});
  for (auto& [number, known] : records_) std::ranges::stable_sort(known, {}, &Known::from);
}

void Stacks::push(const timeline::Event& event) {
  if (event.cpu >= cpus_.size() || event.entry.words < KUTRACE_STACKS_WORDS) return;
  cpus_[event.cpu] = {true, event.time, event.entry.payload_word(0)};
}

NameId Stacks::take(const timeline::Event& event, Pid process) {
  const Cpu taken = std::exchange(cpus_[event.cpu], Cpu{});
  // What is of another time is of an entry that is lost.
  if (!taken.waits || taken.time != event.time) return kNoName;
  // Equal numbers are equal names as long as nothing else is mapped there, so the text is made
  // once.
  const Key key{process, taken.numbers, code_.moment(event.time, process)};
  const auto [known, is_new] = named_.try_emplace(key, kNoName);
  if (is_new) known->second = name(event.time, process, taken.numbers);
  return known->second;
}

std::span<const std::uint64_t> Stacks::frames(std::uint32_t number, Ns time) const {
  const auto found = records_.find(number);
  if (found == records_.end()) return {};
  const std::vector<Known>& known = found->second;
  const auto after = std::ranges::upper_bound(known, time, {}, &Known::from);
  if (after == known.begin()) return {};
  return *std::prev(after)->frames;
}

NameId Stacks::name(Ns time, Pid process, std::uint64_t numbers) {
  const auto user = static_cast<std::uint32_t>(numbers >> 32);
  const auto kernel = static_cast<std::uint32_t>(numbers);
  Stack stack;
  stack.time = time;
  stack.process = process;
  stack.user = frames(user, time);
  stack.kernel = frames(kernel, time);
  std::string text;
  for (const auto& [number, addresses] :
       {std::pair(user, stack.user), std::pair(kernel, stack.kernel)}) {
    if (number == KUTRACE_STACK_LOST) {
      add_frame(text, kStackLost);
    } else if (number != KUTRACE_STACK_NONE && addresses.empty()) {
      add_frame(text, kStackUnknown);
    }
    add_frames(text, addresses, [&](std::uint64_t address) {
      return names_.text(code_.name(time, process, address));
    });
  }
  if (text.empty()) return kNoName;
  stack.name = names_.intern(text);
  sink_.stack(stack);
  return stack.name;
}

}  // namespace kutrace::spans
