// SPDX-License-Identifier: BSD-3-Clause
// Applying losses in order of time.
#include "spans/lost_time.h"

#include <algorithm>
#include <utility>

#include "kutrace/abi.h"

namespace kutrace::spans {

namespace {

constexpr Ns kForever = Ns{1} << 60;
// A loss record's end is read a little after its entry's time.
constexpr Ns kSlack = 20'000'000;

}  // namespace

LostTime::LostTime(const timeline::StreamFacts& facts, Execution& execution, Ipis& ipis,
                   TraceInfo& info)
    : execution_(execution),
      ipis_(ipis),
      info_(info),
      clock_(facts.clock),
      complete_(facts.complete),
      cpus_(facts.cpus.empty() ? 0 : facts.cpus.back() + 1) {}

void LostTime::declared(const timeline::Event& event) {
  const decode::Entry& entry = event.entry;
  if (entry.words < KUTRACE_LOSS_WORDS) return;
  LossRecord record;
  record.cpu = entry.arg & KUTRACE_LOSS_CPU_MASK;
  record.reason = entry.arg >> KUTRACE_LOSS_REASON_SHIFT;
  const std::uint64_t end = entry.payload_word(1);
  record.begin = std::max(info_.begin, clock_.to_ns(entry.payload_word(0)));
  record.end = clock_.to_ns(end);
  record.entries = entry.payload_word(2);
  // Among events a record speaks of the past, in block 0 of the time until the recording's stop.
  const Ns latest = event.cpu != kNoCpu ? event.time + kSlack : info_.end + kSlack;
  // A recorder that was killed left a provisional stop, behind which its losses may lie.
  const bool bounded = event.cpu != kNoCpu || complete_;
  const bool future = record.end > (bounded ? latest : kForever);
  if (!execution_.has_cpu(record.cpu) || record.end < record.begin || future ||
      end > KUTRACE_LOW56_MASK) {
    info_.counters.add(Counter::kLossRecordUnusable);
    return;
  }
  // Spans of a CPU are made in the order of its time: what its own entry says is past, all else
  // waits until that CPU has come as far.
  if (event.cpu == record.cpu) return lose(record);
  cpus_[record.cpu].ahead.emplace(record.begin, record);
}

void LostTime::lose(CpuId cpu, Ns begin, Ns end, unsigned reason) {
  lose({cpu, begin, end, KUTRACE_LOSS_UNKNOWN_COUNT, reason});
}

void LostTime::lose(const LossRecord& record) {
  Header& header = cpus_[record.cpu].header;
  // Entries may be lost at one moment, or nobody knows when: no time is lost with them, and no span
  // is cut.
  const bool takes_time = record.end > record.begin;
  const bool counts = record.entries != 0 && record.entries != KUTRACE_LOSS_UNKNOWN_COUNT;
  // Nothing lies between two pieces that were joined again.
  if (!takes_time && !counts && !header.waits) return;
  if (takes_time || header.waits)
    execution_.lose(record.cpu, record.begin, record.end, record.reason);
  // A loss found later, which begins with the last that was seen, begins behind this one.
  execution_.saw(record.cpu, record.end);
  ipis_.forget(record.cpu);
  if (takes_time || counts) info_.losses.push_back(record);
  if (!header.waits) return;
  // The loss explains why the header names another thread: that one runs from its end on.
  header.waits = false;
  execution_.running(record.cpu, header.pid);
}

void LostTime::apply_next(CpuId cpu) {
  Ahead& ahead = cpus_[cpu].ahead;
  lose(ahead.extract(ahead.begin()).mapped());
}

void LostTime::gap(CpuId cpu, Ns begin, Ns end) {
  // The recorder's reasons stay; what it did not declare within the gap is damage.
  const Ahead& ahead = cpus_[cpu].ahead;
  while (!ahead.empty() && ahead.begin()->first < end) {
    const LossRecord next = ahead.begin()->second;
    if (next.begin > begin) lose(cpu, begin, next.begin, KUTRACE_LOSS_DAMAGED);
    begin = std::max(begin, next.end);
    apply_next(cpu);
  }
  if (end > begin || header_waits(cpu)) lose(cpu, begin, end, KUTRACE_LOSS_DAMAGED);
}

void LostTime::settle_header(CpuId cpu) {
  info_.counters.add(Counter::kBlockPidMismatch);
  lose(cpu, execution_.last_seen(cpu), cpus_[cpu].header.time, KUTRACE_LOSS_DAMAGED);
}

void LostTime::finish(CpuId cpu) {
  for (auto& [begin, record] : std::exchange(cpus_[cpu].ahead, {})) {
    // A record may lie a little behind the recording's end (kSlack).
    record.begin = std::min(begin, info_.end);
    record.end = std::min(record.end, info_.end);
    lose(record);
  }
}

}  // namespace kutrace::spans
