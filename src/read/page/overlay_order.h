// SPDX-License-Identifier: BSD-3-Clause
// Puts what lies over the CPUs' timelines among them. In: the overlays of one slab after the other,
// and those that were kept apart in a block of their own; out: all of them in the order of
// OverlayList.
#pragma once

#include <cstddef>

#include "read/page/decoded_slab.h"

namespace kutrace::read {

class OverlayOrder {
 public:
  // Those that lie in no slab, before all others; they must stay. They have their time, too:
  // threads that have a number in turn are told apart by who came last.
  void keep_long(const OverlayList& overlays) { long_ = &overlays; }
  // The next slab's, which must stay until they were handed on, as those of the one before were.
  void begin_slab(const OverlayList& overlays) {
    slab_ = &overlays;
    handed_on_ = 0;
  }
  // One of the slab's after the one that is handed on now; null: there is none.
  const Span* after(std::size_t others) const {
    const std::size_t place = handed_on_ + others;
    return slab_ != nullptr && place < slab_->size() ? &slab_->at(place) : nullptr;
  }
  // Hands on what is told up to that time.
  template <typename HandOn>
  void until(Ns time, HandOn hand_on) {
    for (; handed_on_ < slab_->size() && slab_->told_at(handed_on_) <= time; ++handed_on_) {
      slab_->fetch(handed_on_ + kAhead);
      const Span& span = slab_->at(handed_on_);
      while (has_long() && !OverlayList::is_before(span, long_->at(next_)))
        hand_on(long_->at(next_++));
      hand_on(span);
    }
    while (has_long() && long_->told_at(next_) <= time) hand_on(long_->at(next_++));
  }
  // The rest of the slab.
  template <typename HandOn>
  void rest(HandOn hand_on) {
    if (handed_on_ < slab_->size()) until(slab_->told_at(slab_->size() - 1), hand_on);
  }
  template <typename HandOn>
  void finish(HandOn hand_on) {
    slab_ = nullptr;
    while (has_long()) hand_on(long_->at(next_++));
  }

 private:
  // Those that are handed on meanwhile.
  static constexpr std::size_t kAhead = 4;

  bool has_long() const { return long_ != nullptr && next_ < long_->size(); }

  const OverlayList* long_ = nullptr;
  std::size_t next_ = 0;  // of long_
  const OverlayList* slab_ = nullptr;
  std::size_t handed_on_ = 0;  // of slab_
};

}  // namespace kutrace::read
