// SPDX-License-Identifier: BSD-3-Clause
// Block numbers, gaps and folding by the rules of doc/trace-format.md.
#include "format/cpu_writer.h"

#include <array>

#include "format/entry_word.h"
#include "format/event_table.h"

namespace kutrace {

void CpuWriter::open(BlockHeader header) {
  header.cpu = options_.cpu;
  running_ = header.pid;
  // Nothing in a new block can be folded.
  last_low44_ = 0;
  block_.emplace(header, options_.trailer);
  const std::uint64_t number = options_.sequence++;
  if (!options_.numbered) return;
  block_->put(block_->base(),
              low44(with_length(kind::kBLOCK, KUTRACE_BLOCK_WORDS_USED), options_.cpu),
              std::array{number});
}

bool CpuWriter::needs_gap(Ticks time) const {
  return !block_->empty() && time > block_->last() + KUTRACE_TSDELTA_TICKS;
}

bool CpuWriter::fits(Ticks time, std::size_t words) const {
  // A gap takes a word more. One of more than 2e9 ticks fits nowhere: it takes a new block, whose
  // header has the whole counter.
  if (!needs_gap(time)) return block_->fits(words);
  return time < block_->last() + KUTRACE_TSDELTA_MAX && block_->fits(words + 1);
}

void CpuWriter::put(Ticks time, std::uint64_t low44, std::span<const std::uint64_t> payload,
                    std::uint8_t ipc) {
  if (needs_gap(time)) {
    const auto gap = static_cast<std::uint32_t>(time - block_->last());
    block_->put(time, kutrace::low44(ev::kTSDELTA, gap));
  }
  block_->put(time, low44, payload, ipc);
  last_low44_ = low44;
  const EventNum event = entry_event(low44);
  // Who runs is followed, as the header of the next block must say it.
  if (event == ev::kUSERPID) {
    running_ = static_cast<Pid>(low44 & KUTRACE_SWITCH_PID_MASK);
  } else if (event_class(event) == EventClass::kName && name_kind(event) == kind::kTASK &&
             !payload.empty() && (payload[0] & KUTRACE_TASK_RENUMBERED) != 0) {
    running_ = static_cast<Pid>(entry_arg(low44));
  }
}

bool CpuWriter::fold(Ticks time, EventNum call, std::uint16_t result, std::uint8_t ipc) {
  // A folded result has 8 bits and is extended by its sign.
  const auto value = static_cast<std::int16_t>(result);
  if (value != static_cast<std::int8_t>(value)) return false;
  if (!is_call(call) || entry_event(last_low44_) != call) return false;
  if (entry_arg(last_low44_) > 0xffff) return false;  // folded, or a wide argument
  const Ticks ticks = time - block_->last();
  if (ticks < 1 || ticks > KUTRACE_DELTA_MAX) return false;
  block_->fold(ticks, static_cast<std::uint8_t>(result), ipc);
  last_low44_ = 0;
  return true;
}

}  // namespace kutrace
