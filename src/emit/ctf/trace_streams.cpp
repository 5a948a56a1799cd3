// SPDX-License-Identifier: BSD-3-Clause
// Which stream takes an event.
#include "emit/ctf/trace_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kutrace/abi.h"

namespace kutrace::emit {

namespace {

// How many events were lost in each of these times of a CPU. A loss of which parts are known is
// several; what it was counts at the last one, and as one where the number is not known. What was
// lost at one moment has no place among packets.
std::vector<std::uint64_t> lost_events(const std::vector<TimeWindow>& times, CpuId cpu,
                                       const TraceInfo& info) {
  std::vector<std::uint64_t> lost(times.size());
  std::vector<bool> counted(times.size());
  for (const LossRecord& loss : info.losses) {
    if (loss.cpu != cpu || loss.begin == loss.end) continue;
    std::size_t i = first_window_after(times, loss.begin);
    if (i == times.size()) continue;
    for (; i < times.size() && times[i].begin < loss.end; ++i) counted[i] = true;
    lost[std::max<std::size_t>(i, 1) - 1] +=
        loss.entries == KUTRACE_LOSS_UNKNOWN_COUNT ? 1 : std::max<std::uint64_t>(loss.entries, 1);
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!counted[i] && lost[i] == 0) lost[i] = 1;
  }
  return lost;
}

}  // namespace

void TraceStreams::begin(std::string uuid, Ns begin, Ns base) {
  base_ = base;
  around_.uuid = std::move(uuid);
  around_.begin = clock(begin);
}

PacketStream& TraceStreams::of(CpuId cpu, Ns time) {
  if (cpu == kNoCpu) return at(of_trace_, cpu, clock(time));
  if (cpu >= of_cpus_.size()) of_cpus_.resize(cpu + std::size_t{1});
  return at(of_cpus_[cpu], cpu, clock(time));
}

PacketStream& TraceStreams::at(Streams& streams, CpuId cpu, std::uint64_t time) {
  for (const std::unique_ptr<PacketStream>& stream : streams) {
    if (stream->takes(time)) return *stream;
  }
  const std::uint64_t number = streams.size();
  PacketStream::Identity identity;
  identity.holds_all = number + 1 == kMostStreams;
  if (cpu == kNoCpu) {
    identity.file = fmt::format("kutrace_{}", number);
    identity.kind = StreamClass::kOfTrace;
    identity.instance = number;
  } else {
    identity.file = fmt::format("channel{}_{}", number, cpu);
    identity.instance = number << 32 | cpu;
    identity.cpu = cpu;
  }
  return *streams.emplace_back(std::make_unique<PacketStream>(around_, std::move(identity)));
}

void TraceStreams::change(PlaceId id, std::uint32_t at, std::string_view bytes) {
  const EventPlace& place = places_.at(id);
  place.stream->change(place, at, bytes);
}

bool TraceStreams::move(PlaceId id, Ns time) {
  const EventPlace& place = places_.at(id);
  return place.stream->move(place, clock(time));
}

void TraceStreams::forget(PlaceId id) { places_.at(id).stream->forget(id); }

void TraceStreams::lose(CpuId cpu, Ns begin, Ns end) {
  if (cpu >= losses_.size()) losses_.resize(cpu + std::size_t{1});
  losses_[cpu].push_back({begin, end});
  // The first one: what is told late was not lost.
  of(cpu, begin);
  of_cpus_[cpu].front()->lose(clock(begin), clock(end));
}

void TraceStreams::finish_cpu(CpuId cpu, const TraceInfo& info) {
  std::vector<std::uint64_t> lost;
  if (cpu < losses_.size()) lost = lost_events(losses_[cpu], cpu, info);
  for (const std::unique_ptr<PacketStream>& stream : of_cpus_[cpu])
    stream->finish(clock(info.end), lost);
}

void TraceStreams::finish(const TraceInfo& info) {
  for (CpuId cpu = 0; cpu < of_cpus_.size(); ++cpu) finish_cpu(cpu, info);
  for (const std::unique_ptr<PacketStream>& stream : of_trace_) stream->finish(clock(info.end), {});
}

}  // namespace kutrace::emit
