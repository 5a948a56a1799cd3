// SPDX-License-Identifier: BSD-3-Clause
// Sums of one subject, a thread, a CPU or a lock, by windows of time. In: what is added to the sums
// of the window under way; out: those windows that were judged to be storms, summed up.
#pragma once

#include <algorithm>

#include "odd/cases.h"
#include "odd/detector.h"

namespace kutrace::odd {

// Of what lasts longer, as a damaged trace may say of an interrupt, only these are looked at.
constexpr Ns kMostWindows = 600;

// Gives the part of [begin, end) in each window: where it begins, and how long it is.
template <typename Part>
void each_window(Ns begin, Ns end, const Part& part) {
  end = std::min(end, begin + kMostWindows * kWindow);
  while (begin < end) {
    const Ns until = std::min(end, (begin / kWindow + 1) * kWindow);
    part(begin, until - begin);
    begin = until;
  }
}

// `Sums` has add(const Sums&). A `Judge` gets the sums of a window that is over, may complete them,
// and says what that window cost: 0 if it was no storm. Times of one subject ascend; what comes
// late counts in the window under way.
template <typename Sums>
class Windows {
 public:
  template <typename Judge>
  Sums& at(Ns time, const Judge& judge) {
    const Ns number = std::max(number_, time / kWindow);
    if (number != number_) {
      finish(judge);
      number_ = number;
    }
    return now_;
  }

  // The window under way is over.
  template <typename Judge>
  void finish(const Judge& judge) {
    const Ns cost = judge(now_);
    if (cost > 0) {
      storms_.add({number_ * kWindow, (number_ + 1) * kWindow}, cost);
      in_storms_.add(now_);
    }
    now_ = {};
  }

  const Cases& storms() const { return storms_; }
  const Sums& in_storms() const { return in_storms_; }
  // Of all storms together: the last one may have been cut by the end of what was looked at.
  Ns length(Ns looked_at) const {
    return std::min(static_cast<Ns>(storms_.count) * kWindow, looked_at);
  }

 private:
  Ns number_ = 0;
  Sums now_;
  Cases storms_;
  Sums in_storms_;
};

}  // namespace kutrace::odd
