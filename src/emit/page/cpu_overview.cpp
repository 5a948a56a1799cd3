// SPDX-License-Identifier: BSD-3-Clause
// Buckets of CPUs, see cpu_overview.h and doc/page-format.md.
#include "emit/page/cpu_overview.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "emit/page/buckets.h"
#include "format/ipc_scale.h"

namespace kutrace::emit {
namespace {

// 0: not counted; else the mean in 32nds, + 1.
std::uint8_t mean_ipc(float product, float time) {
  return time <= 0 ? 0 : static_cast<std::uint8_t>(1 + std::lround(2 * product / time));
}

}  // namespace

void CpuOverview::widen() {
  width_ *= 2;
  set_covered();
  for (auto& [cpu, row] : cpus_) {
    std::vector<Bucket>& buckets = row.buckets;
    row.until = kNothing;
    const std::size_t half = (buckets.size() + 1) / 2;
    for (std::size_t i = 0; i < half; i++) {
      Bucket merged = buckets[2 * i];
      if (2 * i + 1 < buckets.size()) {
        const Bucket& second = buckets[2 * i + 1];
        for (std::size_t k = 0; k < kExecutionKinds; k++) merged.time[k] += second.time[k];
        merged.spans += second.spans;
        merged.ipc += second.ipc;
        merged.ipc_time += second.ipc_time;
        if (second.top_time > merged.top_time) {
          merged.top = second.top;
          merged.top_time = second.top_time;
        }
      }
      buckets[i] = merged;
    }
    buckets.resize(half);
  }
}

void CpuOverview::set_covered() {
  const std::size_t share =
      std::min(kMostOfAll / std::max<std::size_t>(cpus_.size(), 1), spans_ / kSpansPerBucket);
  covered_ = covered_time(width_, std::min(most_buckets_, std::max(kFewestOfMany, share)));
}

void CpuOverview::expect(CpuId cpu, std::size_t spans) {
  if (cpu >= by_number_.size()) by_number_.resize(cpu + std::size_t{1});
  by_number_[cpu] = &cpus_[cpu];
  spans_ += spans;
  set_covered();
}

void CpuOverview::add_ipc(Bucket& bucket, const SlabSpan& span, float part) {
  has_ipc_ = true;
  bucket.ipc += part * static_cast<float>(kIpcMiddles[span.ipc & 15]);
  bucket.ipc_time += part;
}

void CpuOverview::add_across(Row& row, const SlabSpan& span) {
  while (span.end() - begin_ > covered_) widen();
  std::size_t last = 0;
  split_to_buckets(span.start, span.duration, begin_, width_, [&](std::size_t index, float part) {
    if (index >= row.buckets.size()) row.buckets.resize(index + 1);
    add_part(row.buckets[index], span, part);
    last = index;
  });
  row.now = &row.buckets[last];
  row.until = end_of_bucket(last, begin_, width_);
}

void CpuOverview::shrink(std::size_t buckets) {
  const auto most = [&] {
    std::size_t size = 0;
    for (const auto& [cpu, row] : cpus_) size = std::max(size, row.buckets.size());
    return size;
  };
  while (most() > buckets && width_ < kWidestBucket) widen();
}

void CpuOverview::put_widths(Ns end, Column& out) const {
  out.put_signed(begin_);
  out.put(static_cast<std::uint64_t>(width_));
  out.put(bucket_count(end - begin_, width_));
}

void CpuOverview::put_buckets(Column& out) const {
  const float scale = share_scale(width_);
  out.put(cpus_.size());
  for (const auto& [cpu, row] : cpus_) {
    const std::vector<Bucket>& buckets = row.buckets;
    out.put(cpu);
    out.put(buckets.size());
    for (std::size_t k = 0; k < kExecutionKinds; k++) {
      for (const Bucket& bucket : buckets) out.put_byte(bucket_share(bucket.time[k], scale));
    }
    for (const Bucket& bucket : buckets) {
      out.put_byte(static_cast<std::uint8_t>(std::bit_width(bucket.spans)));
    }
    for (const Bucket& bucket : buckets) out.put(bucket.top);
    if (!has_ipc_) continue;
    for (const Bucket& bucket : buckets) out.put_byte(mean_ipc(bucket.ipc, bucket.ipc_time));
  }
}

}  // namespace kutrace::emit
