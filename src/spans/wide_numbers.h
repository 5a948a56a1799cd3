// SPDX-License-Identifier: BSD-3-Clause
// Numbers of calls that do not fit an entry. In: WIDE entries, and the call or return that each
// stands before; out: the whole numbers of that call or return, or those that its entry has.
#pragma once

#include <cstdint>
#include <vector>

#include "format/event_table.h"
#include "model/span.h"
#include "timeline/event.h"

namespace kutrace::spans {

struct CallNumbers {
  EventNum call = 0;  // of a return, too
  std::uint64_t arg = 0;
  CallResult result;
};

class WideNumbers {
 public:
  // `cpus`: one more than the highest CPU number.
  explicit WideNumbers(std::size_t cpus) : cpus_(cpus) {}

  // An entry of kind WIDE.
  void push(const timeline::Event& event);
  // The numbers of this call or folded call; of this return, in which `call` is the call's number.
  CallNumbers of_call(const timeline::Event& event) {
    const decode::Entry& entry = event.entry;
    CallNumbers numbers{entry.number, entry.arg, low_result(entry.result)};
    if (cpus_[event.cpu].holds != 0) widen(event, numbers);
    return numbers;
  }
  CallNumbers of_return(const timeline::Event& event) {
    const decode::Entry& entry = event.entry;
    CallNumbers numbers{entry.number & ~ev::kReturnBit, entry.arg, low_result(entry.arg)};
    if (cpus_[event.cpu].holds != 0) widen(event, numbers);
    return numbers;
  }

 private:
  struct Wide {
    std::uint32_t holds = 0;  // KUTRACE_WIDE_*; 0: no entry waits for its call
    Ns time = 0;
    std::uint64_t number = 0;
    std::uint64_t arg = 0;
    std::int64_t result = 0;
  };
  void widen(const timeline::Event& event, CallNumbers& numbers);

  std::vector<Wide> cpus_;  // by number
};

}  // namespace kutrace::spans
