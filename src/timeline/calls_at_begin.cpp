// SPDX-License-Identifier: BSD-3-Clause
// The first system call of each thread, CPU by CPU.
#include "timeline/calls_at_begin.h"

#include <optional>
#include <unordered_map>

#include "decode/block_decoder.h"
#include "format/event_table.h"
#include "timeline/trace_layout.h"

namespace kutrace::timeline {

namespace {

struct First {
  Ticks time = 0;
  std::optional<EventNum> returned;  // none: the thread began a call
};

class FirstOfThreads {
 public:
  void look(const CpuBlocks& cpu) {
    decode::DecodeCounters ignored;
    std::optional<Pid> pid;
    bool is_known = false;  // an earlier one of that thread
    for (const PlacedBlock& placed : cpu.blocks) {
      if (!pid) pid = placed.block.pid;
      decode::BlockDecoder decoder(placed.block, ignored);
      for (decode::Entry entry; decoder.next(entry);) {
        if (entry.number == ev::kUSERPID) {
          pid = static_cast<Pid>(decode::switched_to(entry.arg));
          const auto found = firsts_.find(*pid);
          is_known = *pid == 0 || (found != firsts_.end() && found->second.time <= entry.time);
        } else if (!is_known && is_of_syscall(entry.number)) {
          is_known = true;
          add(*pid, entry);
        }
      }
    }
  }
  std::vector<CallAtBegin> under_way() const {
    std::vector<CallAtBegin> calls;
    for (const auto& [pid, first] : firsts_)
      if (first.returned) calls.push_back({pid, *first.returned});
    return calls;
  }

 private:
  static EventNum call_of(EventNum number) { return number & ~EventNum{ev::kReturnBit}; }
  static bool is_of_syscall(EventNum number) {
    const EventNum call = call_of(number);
    return event_class(call) == EventClass::kSyscall && !is_scheduler(call) &&
           (is_call(number) || is_return(number));
  }
  void add(Pid pid, const decode::Entry& entry) {
    const EventNum call = call_of(entry.number);
    const bool returns = is_return(entry.number) && call != KUTRACE_UNKNOWN_CALL;
    const First first{entry.time, returns ? std::optional(call) : std::nullopt};
    const auto [known, is_new] = firsts_.try_emplace(pid, first);
    if (!is_new && first.time < known->second.time) known->second = first;
  }

  std::unordered_map<Pid, First> firsts_;
};

}  // namespace

std::vector<CallAtBegin> calls_at_begin(const TraceLayout& layout) {
  FirstOfThreads firsts;
  for (const CpuBlocks& cpu : layout.cpus) firsts.look(cpu);
  return firsts.under_way();
}

}  // namespace kutrace::timeline
