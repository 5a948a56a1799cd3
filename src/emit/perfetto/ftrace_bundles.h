// SPDX-License-Identifier: BSD-3-Clause
// Events of ftrace as Perfetto bundles them: by CPU, some hundred in a packet. In: switches,
// wakeups, calls; out: packets. Events of a bundle need not be in order of time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "emit/stream/export_sink.h"
#include "emit/stream/protobuf.h"
#include "emit/stream/switches.h"
#include "model/names.h"

namespace kutrace::emit {

struct SyscallReturn {
  Pid pid = 0;
  CpuId cpu = 0;
  Ns time = 0;
  unsigned number = 0;
  std::optional<std::int64_t> result;  // none: it was not seen
};

class FtraceBundles {
 public:
  // `base`: what is added to the trace's times.
  FtraceBundles(const NameTable& names, TakeBytes take) : names_(names), take_(std::move(take)) {}

  void set_base(Ns base) { base_ = base; }
  void add(const Switch& told);
  void add(const Waking& waking);
  // A system call whose number Perfetto has a name for begins on `first`, and returns.
  void add_call(const Call& call, unsigned number, CpuId first);
  void add_return(const SyscallReturn& told);
  void add_irq(const Call& call);
  void add_softirq(const Call& call);
  // state: of the C-state; -1: out of it.
  void add_idle(CpuId cpu, Ns time, std::int32_t state);
  void add_frequency(CpuId cpu, Ns time, std::uint32_t mhz);
  // Hands over all that is left.
  void finish();

 private:
  static constexpr std::size_t kFull = std::size_t{1} << 15;

  struct Bundle {
    Protobuf packet;
    Protobuf::Message outer{};
    Protobuf::Message inner{};
  };
  class Event;

  Bundle& of(CpuId cpu);
  void hand_over(Bundle& bundle);
  std::string_view comm(Pid pid, NameId name) const;

  const NameTable& names_;
  TakeBytes take_;
  Ns base_ = 0;
  std::vector<Bundle> bundles_;
};

}  // namespace kutrace::emit
