// SPDX-License-Identifier: BSD-3-Clause
// The streams of a trace: of each CPU, and of what is on no CPU. In: events; out: files, in each of
// which events are in the order of their times. What comes too late for a stream goes to another
// one of the same CPU, which begins when it is needed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time_window.h"
#include "emit/ctf/packet_stream.h"
#include "model/trace_info.h"

namespace kutrace::emit {

class TraceStreams {
 public:
  explicit TraceStreams(ExportFolder& folder) : around_{folder, places_, {}, 0} {}

  // Times of the trace and its clock differ by `base`, which makes them positive.
  void begin(std::string uuid, Ns begin, Ns base);
  std::uint64_t clock(Ns time) const { return static_cast<std::uint64_t>(base_ + time); }

  // kNoCpu: on none.
  void add(CpuId cpu, Ns time, std::string_view bytes) { of(cpu, time).add(clock(time), bytes); }
  PlaceId add_open(CpuId cpu, Ns time, std::string_view bytes) {
    return of(cpu, time).add_open(clock(time), bytes);
  }
  void change(PlaceId id, std::uint32_t at, std::string_view bytes);
  // Whether it has that time now; if not, it is too late for that.
  bool move(PlaceId id, Ns time);
  void forget(PlaceId id);
  // One of these comes soon.
  void expect(PlaceId id) const { places_.prefetch(id); }
  // It must be forgotten once more.
  void share(PlaceId id) { ++places_.at(id).users; }
  void lose(CpuId cpu, Ns begin, Ns end);
  void finish(const TraceInfo& info);

 private:
  using Streams = std::vector<std::unique_ptr<PacketStream>>;

  // So many are late in other ways; the last one holds all until the end.
  static constexpr std::size_t kMostStreams = 64;

  PacketStream& of(CpuId cpu, Ns time);
  PacketStream& at(Streams& streams, CpuId cpu, std::uint64_t time);
  void finish_cpu(CpuId cpu, const TraceInfo& info);

  EventPlaces places_;
  StreamSurroundings around_;
  Ns base_ = 0;
  Streams of_trace_;
  std::vector<Streams> of_cpus_;
  std::vector<std::vector<TimeWindow>> losses_;  // of each CPU
};

}  // namespace kutrace::emit
