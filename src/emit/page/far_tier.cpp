// SPDX-License-Identifier: BSD-3-Clause
// Overlays as they are seen from afar, see far_tier.h.
#include "emit/page/far_tier.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "base/prefetch.h"
#include "emit/page/buckets.h"

namespace kutrace::emit {
namespace {

constexpr Ns kFirstWidth = 1024;
constexpr std::size_t kAhead = 8;  // what is to come is fetched before it is wanted

// Whether those of a row follow one another, so that they can become one.
bool is_continuous(SpanKind kind) {
  return kind == SpanKind::kSample || kind == SpanKind::kFrequency;
}

}  // namespace

// What is drawn in different places, or looks different, stays apart.
FarTier::Row FarTier::row_of(const SlabOverlay& span) {
  switch (span.what) {
    case SpanKind::kSample:
      return {span.cpu, span.thread};
    case SpanKind::kMark:  // stands on the row of its CPU and on that of its thread
      return {std::uint64_t{span.cpu} << 32 | span.kind, span.thread};
    case SpanKind::kFrequency:
      return {span.cpu, 0};
    default:
      return {span.kind, span.cpu};
  }
}

FarTier::Place FarTier::place_of(const SlabOverlay& span) {
  const Row row = row_of(span);
  const bool has_thread = span.what == SpanKind::kMark || span.what == SpanKind::kSample;
  if (!has_thread || numbers_.size() < kMostForRows * most_) {
    return {numbers_.find_or_add(row).number, true};
  }
  if (const std::optional<std::uint32_t> known = numbers_.find(row)) return {*known, true};
  SlabOverlay of_any_cpu = span;
  of_any_cpu.cpu = kNoCpu;
  return {numbers_.find_or_add(row_of(of_any_cpu)).number, false};
}

void FarTier::merge(Slice& into, const Slice& from) {
  const Ns begin = std::min(into.span.start, from.span.start);
  into.end = std::max(into.end, from.end);
  into.product += from.product;
  into.time += from.time;
  if (from.longest > into.longest) {
    into.longest = from.longest;
    into.span = from.span;
  }
  if (into.continuous) into.span.start = begin;
}

// Widths are powers of two.
bool FarTier::is_in_last(const Slice& last, const Slice& slice) const {
  const int shift = std::countr_zero(static_cast<std::uint64_t>(width_));
  return slice.end >> shift <= last.end >> shift;
}

std::uint32_t FarTier::new_place() {
  if (free_ != kNone) return std::exchange(free_, slices_[free_].next);
  slices_.add();
  return static_cast<std::uint32_t>(slices_.size() - 1);
}

void FarTier::put(Slices& row, const Slice& slice) {
  if (width_ > 0 && row.last != kNone && is_in_last(slices_[row.last], slice)) {
    merge(slices_[row.last], slice);
    return;
  }
  const std::uint32_t place = new_place();
  slices_[place] = slice;
  (row.last == kNone ? row.first : slices_[row.last].next) = place;
  row.last = place;
  size_++;
}

void FarTier::free_next(Slice& before) {
  const std::uint32_t place = before.next;
  before.next = std::exchange(slices_[place].next, free_);
  free_ = place;
  size_--;
}

void FarTier::widen() {
  width_ = width_ == 0 ? kFirstWidth : 2 * width_;
  for (Slices& row : rows_) {
    row.last = row.first;
    while (row.last != kNone && slices_[row.last].next != kNone) {
      Slice& last = slices_[row.last];
      const Slice& next = slices_[last.next];
      if (is_in_last(last, next)) {
        merge(last, next);
        free_next(last);
      } else {
        row.last = last.next;
      }
    }
  }
}

std::size_t FarTier::budget() const {
  return std::max({most_, rows_.size(), std::min(2 * rows_.size(), kMostForRows * most_)});
}

// A quarter of what is not one a row is set free, so that widening, which looks at all, pays.
void FarTier::shrink() {
  const std::size_t target = budget() - (budget() - rows_.size()) / 4;
  while (size_ > target && width_ < kWidestBucket) widen();
}

FarTier::Slice FarTier::slice_of(const SlabOverlay& span, bool of_one_cpu) {
  const auto time = static_cast<double>(span.duration);
  return {.span = span,
          .end = span.start + span.duration,
          .longest = span.duration,
          .product = time * span.arg,
          .time = time,
          .continuous = of_one_cpu && is_continuous(span.what)};
}

void FarTier::add(std::span<const SlabOverlay* const> spans) {
  added_ += spans.size();
  added_to_.clear();
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (i + kAhead < spans.size()) numbers_.prefetch(row_of(*spans[i + kAhead]));
    added_to_.push_back(place_of(*spans[i]));
  }
  rows_.resize(numbers_.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (i + 2 * kAhead < spans.size()) prefetch(&rows_[added_to_[i + 2 * kAhead].row]);
    if (i + kAhead < spans.size()) {
      const Slices& row = rows_[added_to_[i + kAhead].row];
      if (row.last != kNone) prefetch(&slices_[row.last]);
    }
    put(rows_[added_to_[i].row], slice_of(*spans[i], added_to_[i].of_one_cpu));
    if (size_ > budget()) shrink();
  }
}

SlabOverlay FarTier::whole(const Slice& slice) {
  SlabOverlay span = slice.span;
  if (!slice.continuous) return span;
  span.duration = slice.end - span.start;
  if (span.what == SpanKind::kFrequency && slice.time > 0) {
    span.arg = static_cast<std::uint32_t>(std::lround(slice.product / slice.time));
  }
  return span;
}

std::vector<SlabOverlay> FarTier::take() {
  std::vector<SlabOverlay> all;
  all.reserve(size_);
  for (const Slices& row : rows_) {
    for (std::uint32_t place = row.first; place != kNone; place = slices_[place].next) {
      all.push_back(whole(slices_[place]));
    }
  }
  rows_.assign(rows_.size(), {});
  slices_.clear();
  free_ = kNone;
  size_ = 0;
  return all;
}

}  // namespace kutrace::emit
