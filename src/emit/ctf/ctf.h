// SPDX-License-Identifier: BSD-3-Clause
// A trace as LTTng's kernel tracer writes it, for babeltrace2, lttng-analyses and Trace Compass: a
// folder of the Common Trace Format 1.8. In: spans and calls; out: files of the folder, as they
// become known: a stream for each CPU, one for what is on none, and the metadata at the end.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emit/ctf/call_events.h"
#include "emit/ctf/event_bytes.h"
#include "emit/ctf/event_types.h"
#include "emit/ctf/trace_streams.h"
#include "emit/stream/export_sink.h"
#include "emit/stream/switches.h"
#include "model/by_name.h"
#include "model/names.h"

namespace kutrace::emit {

class CtfSink : public ExportSink {
 public:
  CtfSink(const NameTable& names, ExportFolder& folder);

  void begin(const TraceInfo& known) override;
  void push(const Span& span) override;
  void expect(Pid pid, ThreadId thread, Ahead ahead) const override;
  void call(const Call& call) override { calls_.ended(call); }
  Status finish(const TraceInfo& info) override;

 private:
  // As much of a thread's name as events have; zeros fill it up.
  using Comm = std::array<char, 16>;
  static constexpr Comm kIdleComm = {'s', 'w', 'a', 'p', 'p', 'e', 'r'};

  // The last event of a thread of its kind, part of which is told later.
  struct Untold {
    Ns time = 0;
    PlaceId place = kNoPlace;
    CpuId cpu = 0;
  };
  struct Thread {
    Untold left;     // why it left its CPU
    Untold waked;    // where it was woken to
    Untold unnamed;  // what it is called, that came
  };

  EventBytes& start(EventType type, Ns time, Pid thread) {
    return bytes_.begin(number_of(type), streams_.clock(time), thread);
  }
  void put(CpuId cpu, Ns time) { streams_.add(cpu, time, bytes_.bytes()); }
  Untold put_open(CpuId cpu, Ns time) {
    return {time, streams_.add_open(cpu, time, bytes_.bytes()), cpu};
  }
  void settle(Untold& untold);
  Comm comm(Pid pid, NameId name) { return pid == 0 ? kIdleComm : comms_.of(name); }
  Thread& thread(Pid pid) {
    const std::uint32_t place = switches_.place_of(pid);
    if (place >= threads_.size()) threads_.resize(place + std::size_t{1});
    return threads_[place];
  }

  void switched(const Switch& told);
  void tell_why(const Switch& told);
  void tell_name(Pid pid, NameId name);
  void execution(const Span& span);
  static Comm comm_of(const std::string& name);
  void moment(const Span& span);
  void woken(const Span& point);
  void tell_target(const Span& arc);
  void interval(EventType type, const Span& span, std::uint64_t number);
  void tell_threads(const TraceInfo& info);

  ExportFolder& folder_;
  EventTypes types_;
  TraceStreams streams_;
  CallEvents calls_;
  Switches switches_;
  std::vector<Thread> threads_;  // by their places among those of switches
  std::vector<bool> low_power_;  // of each CPU, whether its idle is
  ByName<Comm> comms_;
  ByName<std::string> texts_;
  EventBytes bytes_;
  std::string uuid_;
  Ns base_ = 0;
};

}  // namespace kutrace::emit
