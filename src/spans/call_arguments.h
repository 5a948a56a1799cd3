// SPDX-License-Identifier: BSD-3-Clause
// Arguments of system calls. In: ARGUMENTS and CALL_DATA entries, and the call or return that they
// stand before; out: what they say of it.
#pragma once

#include <optional>
#include <vector>

#include "model/call_details.h"
#include "timeline/event.h"

namespace kutrace::spans {

class CallArguments {
 public:
  // `cpus`: one more than the highest CPU number.
  explicit CallArguments(std::size_t cpus) : cpus_(cpus) {}

  // An entry of kind ARGUMENTS; of kind CALL_DATA.
  void push_arguments(const timeline::Event& event);
  void push_data(const timeline::Event& event);
  // Whether such entries wait for their call or return. In most traces none ever does.
  bool any() const { return waiting_ != 0; }
  // What stood before this call or return; nothing for most.
  std::optional<CallDetails> take(const timeline::Event& event);

 private:
  struct Cpu {
    bool waits = false;    // for the call
    bool goes_on = false;  // the newest data does
    Ns time = 0;
    CallDetails details;
  };
  Cpu* waiting(const timeline::Event& event);

  std::size_t waiting_ = 0;  // CPUs
  std::vector<Cpu> cpus_;    // by number
};

}  // namespace kutrace::spans
