// SPDX-License-Identifier: BSD-3-Clause
// Slices and moments on tracks, as Perfetto's TrackEvents. In: where, when, what; out: packets.
// Slices of one track lie in one another or apart; who begins one ends it.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/by_number.h"
#include "emit/stream/export_sink.h"
#include "emit/stream/protobuf.h"
#include "model/names.h"
#include "model/trace_info.h"

namespace kutrace::emit {

// What tracks there are; each has a number of its own.
class Tracks {
 public:
  enum class OfThread : std::uint8_t {
    kWaits,
    kFaults,
    kScheduler,
    kCalls,
    kMoments,
    kSamples,
    kFunctions
  };
  enum class OfCpu : std::uint8_t { kExecution, kCalls, kSignals };

  std::uint64_t of(Pid pid, OfThread which);
  std::uint64_t of(CpuId cpu, OfCpu which);
  // A track for one slice, which may overlap others of the same name and place; they are shown in
  // as few rows as they need.
  std::uint64_t lone() { return kLone + lone_++; }

  // Packets that describe all tracks but the lone ones.
  void describe(const TraceInfo& info, const TakeBytes& take) const;
  static void describe_lone(std::uint64_t track, Pid pid, std::string_view name,
                            const TakeBytes& take);

 private:
  static constexpr std::uint64_t kLone = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kThreads = std::uint64_t{1} << 61;

  static std::uint64_t thread_track(Pid pid) {
    return kThreads | std::uint64_t{static_cast<std::uint32_t>(pid)} << 4;
  }

  ByNumber<std::uint32_t> used_;                    // which tracks of a thread are known to be used
  std::unordered_map<Pid, std::uint32_t> threads_;  // likewise
  std::unordered_map<CpuId, std::uint32_t> cpus_;   // likewise
  std::uint64_t lone_ = 0;
};

// A number that is told of a slice or moment.
struct TrackArgument {
  const char* name = nullptr;  // null: none
  std::int64_t value = 0;
};

class TrackEvents {
 public:
  enum class Category : std::uint8_t {
    kUser,
    kKernelThread,
    kSyscall,
    kFault,
    kIrq,
    kSoftirq,
    kScheduler,
    kIdle,
    kIdleLow,
    kCExit,
    kHidden,
    kLoss,
    kWait,
    kLock,
    kQueue,
    kRpc,
    kMessage,
    kSample,
    kMark,
    kPoint,
    kIpi,
    kFunction,
    kCount
  };
  TrackEvents(const NameTable& names, TakeBytes take) : names_(names), take_(std::move(take)) {}

  void set_base(Ns base) { base_ = base; }
  // The first packet, which all others need.
  void begin();
  void slice_begin(std::uint64_t track, Ns time, Category category, NameId name,
                   TrackArgument argument = {}, std::uint64_t flow = 0);
  void slice_end(std::uint64_t track, Ns time);
  void moment(std::uint64_t track, Ns time, Category category, NameId name,
              TrackArgument argument = {}, std::uint64_t flow = 0);

 private:
  void event(unsigned type, std::uint64_t track, Ns time, Category category, NameId name,
             TrackArgument argument, std::uint64_t flow);

  const NameTable& names_;
  TakeBytes take_;
  Ns base_ = 0;
  Protobuf packet_;
  std::vector<bool> told_;  // of each name
};

}  // namespace kutrace::emit
