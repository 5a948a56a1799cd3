// SPDX-License-Identifier: BSD-3-Clause
// Overlays as they are seen from afar, see far_tier.h.
#include "emit/page/far_tier.h"

#include <algorithm>
#include <cmath>

#include "emit/page/buckets.h"

namespace kutrace::emit {
namespace {

constexpr Ns kFirstWidth = 1024;

// Whether those of a row follow one another, so that they can become one.
bool is_continuous(SpanKind kind) {
  return kind == SpanKind::kSample || kind == SpanKind::kFrequency;
}

}  // namespace

// What is drawn in different places, or looks different, stays apart.
FarTier::Row FarTier::row_of(const SlabSpan& span) {
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

void FarTier::merge(Slice& into, const Slice& from) {
  const Ns begin = std::min(into.span.start, from.span.start);
  into.end = std::max(into.end, from.end);
  into.product += from.product;
  into.time += from.time;
  if (from.longest > into.longest) {
    into.longest = from.longest;
    into.span = from.span;
  }
  if (is_continuous(into.span.what)) into.span.start = begin;
}

void FarTier::put(std::vector<Slice>& slices, const Slice& slice) {
  if (width_ > 0 && !slices.empty() && slice.end / width_ <= slices.back().end / width_) {
    merge(slices.back(), slice);
    return;
  }
  slices.push_back(slice);
  size_++;
}

void FarTier::widen() {
  width_ = width_ == 0 ? kFirstWidth : 2 * width_;
  size_ = 0;
  for (auto& [row, slices] : rows_) {
    for (const Slice& slice : std::exchange(slices, {})) put(slices, slice);
  }
}

std::size_t FarTier::budget() const { return std::max(most_, kSlicesPerRow * rows_.size()); }

// A quarter is set free, so that widening, which looks at all, pays.
void FarTier::shrink() {
  const std::size_t target = budget() - budget() / 4;
  while (size_ > target && width_ < kWidestBucket) widen();
}

void FarTier::add(const SlabSpan& span) {
  added_++;
  const auto time = static_cast<double>(span.duration);
  put(rows_[row_of(span)],
      {span, span.start + span.duration, span.duration, time * span.arg, time});
  if (size_ > budget()) shrink();
}

SlabSpan FarTier::whole(const Slice& slice) {
  SlabSpan span = slice.span;
  if (!is_continuous(span.what)) return span;
  span.duration = slice.end - span.start;
  if (span.what == SpanKind::kFrequency && slice.time > 0) {
    span.arg = static_cast<std::uint32_t>(std::lround(slice.product / slice.time));
  }
  return span;
}

std::vector<SlabSpan> FarTier::take() {
  std::vector<SlabSpan> all;
  all.reserve(size_);
  for (const auto& [row, slices] : std::exchange(rows_, {})) {
    for (const Slice& slice : slices) all.push_back(whole(slice));
  }
  size_ = 0;
  return all;
}

}  // namespace kutrace::emit
