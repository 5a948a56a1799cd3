// SPDX-License-Identifier: BSD-3-Clause
// Puts what lies over the CPUs' timelines among them: waits and arcs where they end, as a trace
// tells of them, a wakeup after the wait that it ended; others where they start. In: the spans of
// one slab after the other, and those that were kept apart in a block of their own; out: the same
// in that order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "model/span.h"

namespace kutrace::read {

class OverlayOrder {
 public:
  // Those that lie in no slab, before all others. They have their time, too: threads that have a
  // number in turn are told apart by who came last.
  void keep_long(std::vector<Span> spans) {
    long_ = std::move(spans);
    std::ranges::stable_sort(long_, is_before);
  }
  // The next slab; all of the one before was handed on. First its spans are added, by start, then
  // they are put in order.
  void begin_slab() {
    slab_.clear();
    order_.clear();
    handed_on_ = 0;
  }
  void add(const Span& span) {
    order_.push_back({told_at(span), is_arc(span.kind), static_cast<std::uint32_t>(slab_.size())});
    slab_.push_back(span);
  }
  void put_in_order() { std::ranges::sort(order_); }
  // Hands on what is told up to that time.
  template <typename HandOn>
  void until(Ns time, HandOn hand_on) {
    for (; handed_on_ < order_.size() && order_[handed_on_].told_at <= time; ++handed_on_) {
      const Span& span = slab_[order_[handed_on_].place];
      while (next_ < long_.size() && !is_before(span, long_[next_])) hand_on(long_[next_++]);
      hand_on(span);
    }
    while (next_ < long_.size() && told_at(long_[next_]) <= time) hand_on(long_[next_++]);
  }
  // The rest of the slab.
  template <typename HandOn>
  void rest(HandOn hand_on) {
    if (handed_on_ < order_.size()) until(order_.back().told_at, hand_on);
  }
  template <typename HandOn>
  void finish(HandOn hand_on) {
    while (next_ < long_.size()) hand_on(long_[next_++]);
  }

 private:
  // Of one of the slab.
  struct Told {
    Ns told_at = 0;
    bool is_arc = false;
    std::uint32_t place = 0;

    auto operator<=>(const Told&) const = default;
  };

  static bool is_told_at_end(const Span& span) {
    return span.kind == SpanKind::kWait || is_arc(span.kind);
  }
  static Ns told_at(const Span& span) {
    return is_told_at_end(span) ? span.start + span.duration : span.start;
  }
  static bool is_before(const Span& a, const Span& b) {
    return std::tuple(told_at(a), is_arc(a.kind)) < std::tuple(told_at(b), is_arc(b.kind));
  }

  std::vector<Span> long_;
  std::size_t next_ = 0;  // of long_
  std::vector<Span> slab_;
  std::vector<Told> order_;
  std::size_t handed_on_ = 0;  // of order_
};

}  // namespace kutrace::read
