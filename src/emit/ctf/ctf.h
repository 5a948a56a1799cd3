// SPDX-License-Identifier: BSD-3-Clause
// A trace as LTTng's kernel tracer writes it, for babeltrace2, lttng-analyses and Trace Compass: a
// folder of the Common Trace Format 1.8. In: spans and calls; out: files of the folder, as they
// become known: a stream for each CPU, one for what is on none, and the metadata at the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/by_number.h"
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
  void call(const Call& call) override { calls_.ended(call); }
  Status finish(const TraceInfo& info) override;

 private:
  // The last event of a thread of its kind, part of which is told later.
  struct Untold {
    PlaceId place = kNoPlace;
    Ns time = 0;
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
    return {streams_.add_open(cpu, time, bytes_.bytes()), time, cpu};
  }
  void settle(Untold& untold);
  std::string comm(Pid pid, NameId name) { return pid == 0 ? "swapper" : comms_.of(name); }
  const std::string& text(NameId name) { return text_ = texts_.of(name); }

  void switched(const Switch& told);
  void tell_why(const Switch& told);
  void tell_name(Pid pid, NameId name);
  void execution(const Span& span);
  void moment(const Span& span);
  void woken(const Span& point);
  void tell_target(const Span& arc);
  void interval(EventType type, const Span& span, std::uint64_t number);
  void threads(const TraceInfo& info);

  ExportFolder& folder_;
  EventTypes types_;
  TraceStreams streams_;
  CallEvents calls_;
  Switches switches_;
  ByNumber<Thread> threads_;
  std::vector<bool> low_power_;  // of each CPU, whether its idle is
  ByName<std::string> comms_;
  ByName<std::string> texts_;
  std::string text_;
  EventBytes bytes_;
  std::string uuid_;
  Ns base_ = 0;
};

}  // namespace kutrace::emit
