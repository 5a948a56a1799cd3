// SPDX-License-Identifier: BSD-3-Clause
// Begins and ends of calls. In: pieces of calls as they come, and calls when they have ended; out:
// events. A call's begin is written with its first piece, on the CPU of that, before it is known
// when it began: as a rule when the piece did, else it is moved, or written anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "emit/ctf/event_bytes.h"
#include "emit/ctf/event_types.h"
#include "emit/ctf/trace_streams.h"
#include "model/by_name.h"
#include "model/call.h"
#include "model/names.h"
#include "model/span.h"

namespace kutrace::emit {

class CallEvents {
 public:
  CallEvents(const NameTable& names, EventTypes& types, TraceStreams& streams)
      : texts_(names, printable), types_(types), streams_(streams) {}

  // Of a machine of which LTTng knows interrupt vectors and faults by names.
  void set_x86(bool x86) { x86_ = x86; }
  // An execution, in its order.
  void piece(const Span& span);
  void ended(const Call& call);
  // Calls that began and were not told, as of those that began before a window, have no events.
  void finish();

 private:
  // What begins or ends.
  struct Whose {
    CpuId cpu = 0;
    Ns time = 0;
    Pid thread = 0;
    SpanKind kind = SpanKind::kSyscall;
    EventNum event = 0;
    NameId name = kNoName;
    std::uint64_t arg = 0;
    bool from_user = false;  // of faults
  };
  // One that has begun; by the slot of its call.
  struct Open {
    CallId call = CallId::kNone;
    PlaceId place = kNoPlace;
    Whose whose;
    Ns since = 0;          // its thread ran on its CPU, when the first piece came
    std::size_t size = 0;  // of its bytes
  };

  struct Cpu {
    Pid thread = 0;        // that runs there
    Ns since = 0;          // it does
    Ns until = 0;          // so far it is known who runs
    bool in_user = false;  // but for faults and interrupts

    bool ran(Pid whose, Ns time) const {
      return time >= until || (thread == whose && time >= since);
    }
  };

  Cpu& cpu(CpuId number) {
    if (number >= cpus_.size()) cpus_.resize(number + std::size_t{1});
    return cpus_[number];
  }
  std::string_view entry(const Whose& whose);
  std::string_view exit(const Whose& whose, const Call& call);
  void tell_whole(const Call& call);
  bool settle(const Open& open, const Call& call);
  void tell_arguments(const Open& open, const CallDetails& details);
  void cancel(const Open& open);

  ByName<std::string> texts_;
  EventTypes& types_;
  TraceStreams& streams_;
  bool x86_ = false;
  EventBytes bytes_;
  std::vector<Open> open_;
  std::vector<Cpu> cpus_;
};

}  // namespace kutrace::emit
