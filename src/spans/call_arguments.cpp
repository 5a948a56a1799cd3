// SPDX-License-Identifier: BSD-3-Clause
// Putting together what several entries say of one call.
#include "spans/call_arguments.h"

#include <algorithm>
#include <utility>

#include "kutrace/abi.h"

namespace kutrace::spans {

namespace {

constexpr std::size_t kMostData = 64;  // of a call; a source writes fewer

constexpr bool has(std::uint32_t what, std::uint32_t bit) { return (what & bit) != 0; }

}  // namespace

CallArguments::Cpu* CallArguments::waiting(const timeline::Event& event) {
  if (event.cpu >= cpus_.size()) return nullptr;
  Cpu& cpu = cpus_[event.cpu];
  if (!cpu.waits) ++waiting_;
  // What is of another time is of a call that is lost.
  if (!cpu.waits || cpu.time != event.time)
    cpu = {.waits = true, .time = event.time, .details = {}};
  return &cpu;
}

void CallArguments::push_arguments(const timeline::Event& event) {
  Cpu* const cpu = waiting(event);
  if (cpu == nullptr) return;
  const unsigned count = std::min<unsigned>(event.entry.words - 1u, KUTRACE_MAX_ARGUMENTS);
  cpu->details.count = static_cast<std::uint8_t>(count);
  for (unsigned i = 0; i < count; ++i) cpu->details.arguments[i] = event.entry.payload_word(i);
}

void CallArguments::push_data(const timeline::Event& event) {
  const decode::Entry& entry = event.entry;
  const std::uint32_t what = entry.arg;
  const auto argument = static_cast<std::uint8_t>(what & KUTRACE_DATA_ARGUMENT_MASK);
  Cpu* const cpu = waiting(event);
  if (cpu == nullptr || argument >= KUTRACE_MAX_ARGUMENTS) return;
  std::vector<CallData>& data = cpu->details.data;
  const auto item = static_cast<std::uint16_t>(what >> KUTRACE_DATA_ITEM_SHIFT);
  // The last piece must say that it goes on, and this one be of the same string: one between them
  // may be lost.
  if (!cpu->goes_on || data.empty() || data.back().argument != argument ||
      data.back().item != item) {
    if (data.size() >= kMostData) return;
    data.push_back({.argument = argument, .item = item, .bytes = {}});
  }
  CallData& newest = data.back();
  newest.cut |= has(what, KUTRACE_DATA_CUT);
  newest.unreadable |= has(what, KUTRACE_DATA_UNREADABLE);
  newest.late |= has(what, KUTRACE_DATA_LATE);
  cpu->goes_on = has(what, KUTRACE_DATA_MORE);
  const std::size_t room = 8 * (std::size_t{entry.words} - 1);
  const std::size_t length = what >> KUTRACE_DATA_LENGTH_SHIFT & 0xff;
  // A damaged trace may go on for ever.
  if (newest.bytes.size() > kMostData * KUTRACE_DATA_BYTES || entry.words < 2) return;
  newest.bytes.append(reinterpret_cast<const char*>(entry.payload), std::min(length, room));
}

std::optional<CallDetails> CallArguments::take(const timeline::Event& event) {
  Cpu& cpu = cpus_[event.cpu];
  if (!cpu.waits) return {};
  --waiting_;
  // Claimed in one piece with its call, it has the same time; else the call was lost.
  const bool fits = cpu.time == event.time;
  const Cpu taken = std::exchange(cpu, Cpu{});
  if (!fits) return {};
  return taken.details;
}

}  // namespace kutrace::spans
