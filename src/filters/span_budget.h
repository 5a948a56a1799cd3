// SPDX-License-Identifier: BSD-3-Clause
// How coarse an overview must be to have at most so many spans. In: all spans; out: a resolution
// for Coarsen.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "model/span_sink.h"
#include "model/trace_info.h"

namespace kutrace::filters {

class SpanBudget final : public SpanSink {
 public:
  void push(const Span& span) override {
    count_++;
    const std::size_t bits = std::bit_width(static_cast<std::uint64_t>(span.duration));
    by_bits_[std::min(bits, kSteps - 1)]++;
  }

  std::uint64_t count() const { return count_; }
  // The smallest of 1, 2, 5, 10, ... ns that should result in at most `most` spans: those that are
  // not shorter stay, and what is folded comes back as one span for each resolution of a CPU's
  // time. Sorts that take turns within a resolution make it more: whoever coarsens counts, and goes
  // on with the next coarser one.
  Ns resolution_for(std::uint64_t most, const TraceInfo& info) const;
  static Ns coarser(Ns resolution);
  // The last of them, 31 years: nothing is coarser.
  static constexpr Ns kCoarsest = 1'000'000'000'000'000'000;

 private:
  static constexpr std::size_t kSteps = 64;
  std::uint64_t at_least(Ns resolution) const;

  std::array<std::uint64_t, kSteps> by_bits_{};  // spans by bit width of their duration
  std::uint64_t count_ = 0;
};

}  // namespace kutrace::filters
