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
#include "emit/page/time_unit.h"
#include "format/page_format.h"
#include "model/call.h"

namespace kutrace::emit {

struct SlabSpan;

// A call by the page's numbers, without its waits.
struct SlabCall {
  Ns begin = 0;
  Ns end = 0;
  Ns own = 0;
  Ns unknown = 0;
  CallId id = CallId::kNone;
  KindIndex kind = 0;
  ThreadIndex thread = kIdleThread;  // kIdleThread: it is a CPU's
  ThreadIndex stack = kIdleThread;   // of a CPU's: the thread that it interrupted
  CpuId cpu = kNoCpu;
  std::uint32_t arg = 0;
  std::uint32_t pieces = 0;
  std::uint32_t waits = 0;  // reasons
  std::uint32_t first_wait = 0;
  std::uint32_t result = 0;  // + 1; 0: none
  std::uint8_t flags = 0;

  Ns duration() const { return end - begin; }
};

// A result as pages hold it: that of a system call, and the signal of a fault that failed.
constexpr std::uint32_t result_code(SpanKind kind, bool has_result, std::uint16_t result) {
  const bool held =
      has_result && (kind == SpanKind::kSyscall || (kind == SpanKind::kTrap && result != 0));
  return held ? std::uint32_t{result} + 1 : 0;
}

// Whether the call's result can be read off its last span: pages hold those of system calls there.
bool shows_result(const SlabSpan& last, std::uint32_t result);

// What a call is by the page's numbers.
struct CallPlace {
  KindIndex kind = 0;
  ThreadIndex thread = kIdleThread;  // as SlabCall has them
  ThreadIndex stack = kIdleThread;
};

class SlabCalls {
 public:
  void clear();
  void add(const Call& call, const CallPlace& place);
  std::size_t size() const { return calls_.size(); }

  void add_to(KindTotals& totals) const;
  // Calls `fold` with every time, those of begins and ends counted from `base`.
  template <typename Fold>
  void each_time(Ns base, Fold fold) const {
    for (const SlabCall& call : calls_) {
      fold(call.begin - base);
      fold(call.duration());
      fold(call.own);
      fold(call.unknown);
    }
    for (const WaitTime& wait : waits_) fold(wait.time);
  }
  // Tells each span what piece it is. `spans` are those of call kinds that are no whole calls, in
  // order of their start.
  void settle(std::span<SlabSpan* const> spans);
  // After settle().
  Column encode(const Column& pieces, Ns base, const TimeUnit& unit) const;

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
  Ns blocked(const SlabCall& call) const;
  bool waits_as(const SlabCall& call, const SlabCall& other) const;
  static bool is_plain(const SlabCall& call, const Sum& sum);

  std::vector<SlabCall> calls_;
  std::vector<WaitTime> waits_;
  std::vector<Sum> sums_;              // of the calls
  std::vector<std::uint32_t> places_;  // by id - lowest_: 1 + place among the calls
  std::uint32_t lowest_ = 0;
  std::vector<std::uint32_t> plain_;  // places of plain calls, by their last spans
};

}  // namespace kutrace::emit
