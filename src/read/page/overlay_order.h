// SPDX-License-Identifier: BSD-3-Clause
// Puts what lies over the CPUs' timelines among them: waits and arcs where they end, as a trace
// tells of them, a wakeup after the wait that it ended; others where they start. In: spans by
// start, and those that were kept apart in a block of their own; out: the same in that order.
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
  void add(const Span& span) {
    open_.push_back({span, added_++});
    std::ranges::push_heap(open_, is_later);
  }
  // Hands on what is told up to that time.
  template <typename HandOn>
  void until(Ns time, HandOn hand_on) {
    while (!open_.empty() && told_at(open_.front().span) <= time) {
      long_before(open_.front().span, hand_on);
      std::ranges::pop_heap(open_, is_later);
      const Span span = open_.back().span;
      open_.pop_back();
      hand_on(span);
    }
    while (next_ < long_.size() && told_at(long_[next_]) <= time) hand_on(long_[next_++]);
  }
  // All that was added.
  template <typename HandOn>
  void rest(HandOn hand_on) {
    if (open_.empty()) return;
    Ns last = told_at(open_.front().span);
    for (const Added& added : open_) last = std::max(last, told_at(added.span));
    until(last, hand_on);
  }
  template <typename HandOn>
  void finish(HandOn hand_on) {
    while (next_ < long_.size()) hand_on(long_[next_++]);
  }

 private:
  struct Added {
    Span span;
    std::uint64_t number = 0;
  };

  static bool is_told_at_end(const Span& span) {
    return span.kind == SpanKind::kWait || is_arc(span.kind);
  }
  static Ns told_at(const Span& span) {
    return is_told_at_end(span) ? span.start + span.duration : span.start;
  }
  static auto key(const Span& span) { return std::tuple(told_at(span), is_arc(span.kind)); }
  static bool is_before(const Span& a, const Span& b) { return key(a) < key(b); }
  static bool is_later(const Added& a, const Added& b) {
    return std::tuple(key(a.span), a.number) > std::tuple(key(b.span), b.number);
  }
  template <typename HandOn>
  void long_before(const Span& span, HandOn& hand_on) {
    while (next_ < long_.size() && !is_before(span, long_[next_])) hand_on(long_[next_++]);
  }

  std::vector<Span> long_;
  std::size_t next_ = 0;     // of long_
  std::vector<Added> open_;  // a heap: the first one to be told in front
  std::uint64_t added_ = 0;
};

}  // namespace kutrace::read
