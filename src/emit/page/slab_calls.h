// SPDX-License-Identifier: BSD-3-Clause
// The calls of a slab that are more than one span without anything inside. In: such calls, then the
// slab's spans; out: columns (doc/page-format.md). Of a call that is no more than its pieces only
// its waits are written; others are written in full.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emit/page/column.h"
#include "emit/page/page_tables.h"
#include "emit/page/slab_call.h"
#include "emit/page/time_unit.h"
#include "model/call.h"

namespace kutrace::emit {

struct SlabSpan;

// Whether the call's result can be read off its last span: pages hold those of system calls there.
bool shows_result(const SlabSpan& last, std::uint32_t result);

class SlabCalls {
 public:
  void clear();
  void add(const Call& call, const CallPlace& place);
  std::size_t size() const { return calls_.size(); }
  std::span<const SlabCall> all() const { return calls_; }

  void add_to(KindTotals& totals) const;
  // Calls `fold` with every time, those of begins and ends counted from `base`.
  template <typename Fold>
  void each_time(Ns base, Fold fold) const {
    for (const SlabCall& call : calls_) emit::each_time(call, waits(call), base, fold);
  }
  // Tells each span what piece it is. `spans` are those of call kinds that are no whole calls, in
  // order of their start.
  void settle(std::span<SlabSpan* const> spans);
  // After settle(), behind what there is in `out`.
  void encode(const Column& pieces, Ns base, const TimeUnit& unit, Column& out) const;

 private:
  // What the spans of the slab are of a call.
  struct Sum {
    const SlabSpan* first = nullptr;
    const SlabSpan* last = nullptr;
    std::uint32_t pieces = 0;
    Ns own = 0;
    bool alike = true;
    bool plain = false;  // no more than its pieces
  };

  Sum* sum_of(CallId id);
  std::span<const WaitTime> waits(const SlabCall& call) const {
    return std::span(waits_).subspan(call.first_wait, call.waits);
  }
  static bool is_plain(const SlabCall& call, const Sum& sum);

  std::vector<SlabCall> calls_;
  std::vector<WaitTime> waits_;
  std::vector<Sum> sums_;              // of the calls
  std::vector<std::uint32_t> places_;  // by id - lowest_: 1 + place among the calls
  std::uint32_t lowest_ = 0;
  std::vector<std::uint32_t> plain_;  // places of plain calls, by their last spans
};

}  // namespace kutrace::emit
