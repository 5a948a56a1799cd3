// SPDX-License-Identifier: BSD-3-Clause
// How long a CPU took to leave a C-state: measured where an IPI caused it, else from the latencies
// the recorder stored, else from a table by mwait hint.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/units.h"
#include "format/facts.h"

namespace kutrace::spans {

class IdleExit {
 public:
  // `facts` may hold "cstate.N=name,latency_us,..."; `cpu_model` chooses the fallback table.
  explicit IdleExit(const Facts& facts);
  void set_cpu_model(const std::string& model) { model_ = model; }

  // Whether the idle state of an mwait event's argument stops the clock at all (polling does not).
  bool is_low_power(std::uint32_t mwait_arg) const;
  // Exit latency of that state in ns; never fails: an unknown state has that of a table.
  Ns latency(std::uint32_t mwait_arg) const;

 private:
  struct State {
    std::string name;
    Ns latency = 0;
  };
  const State* recorded(std::uint32_t mwait_arg) const;

  std::map<std::uint32_t, State> states_;
  std::string model_;
};

}  // namespace kutrace::spans
