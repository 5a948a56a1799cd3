// SPDX-License-Identifier: BSD-3-Clause
// Spans by start time. In: spans in any order; out: the same, earliest first, those of one start in
// no promised order. Sorted runs go to a spill, so that memory stays below 64 MB for any number.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/spill.h"
#include "model/span.h"

namespace kutrace::emit {

class SpanOrder {
 public:
  static constexpr std::size_t kRunSpans = std::size_t{1} << 18;

  // Without a spill all spans are held, 64 bytes each.
  explicit SpanOrder(Spill* spill) : spill_(spill) {}

  void push(const Span& span);
  // Visits all of them once. The error is the spill's, from here or an earlier push.
  Status for_each(const std::function<void(const Span&)>& visit);
  std::uint64_t size() const { return spilled_ + held_.size(); }

 private:
  class Run;

  void spill_run();
  Status merge(const std::function<void(const Span&)>& visit);

  Spill* spill_;
  std::vector<Span> held_;
  std::vector<std::uint64_t> run_ends_;  // spans from the start of the spill
  std::uint64_t spilled_ = 0;
  std::optional<Error> error_;
};

}  // namespace kutrace::emit
