// SPDX-License-Identifier: BSD-3-Clause
// Buckets of CPUs, see cpu_overview.h and doc/page-format.md.
#include "emit/page/cpu_overview.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "emit/page/buckets.h"
#include "emit/page/slab.h"
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
  for (auto& [cpu, buckets] : cpus_) {
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

std::vector<CpuOverview::Bucket>& CpuOverview::add_cpu(CpuId number) {
  if (number >= by_number_.size()) by_number_.resize(number + std::size_t{1});
  by_number_[number] = &cpus_[number];
  set_covered();
  return *by_number_[number];
}

void CpuOverview::add_part(Bucket& bucket, const SlabSpan& span, float part) {
  bucket.time[static_cast<std::size_t>(span.what)] += part;
  ++bucket.spans;
  if (span.ipc > 0) {
    bucket.ipc += part * static_cast<float>(kIpcMiddles[span.ipc & 15]);
    bucket.ipc_time += part;
  }
  if (!is_idle(span.what) && part > bucket.top_time) {
    bucket.top = span.kind + 1;
    bucket.top_time = part;
  }
}

void CpuOverview::add(std::span<const SlabSpan> spans) {
  spans_ += spans.size();
  set_covered();
  unsigned ipc = 0;
  for (const SlabSpan& span : spans) {
    ipc |= span.ipc;
    const bool is_known = span.cpu < by_number_.size() && by_number_[span.cpu] != nullptr;
    std::vector<Bucket>& buckets = is_known ? *by_number_[span.cpu] : add_cpu(span.cpu);
    while (span.end() - begin_ > covered_) widen();
    split_to_buckets(span.start, span.duration, begin_, width_, [&](std::size_t index, float part) {
      if (index >= buckets.size()) [[unlikely]] {
        buckets.resize(index + 1);
      }
      add_part(buckets[index], span, part);
    });
  }
  has_ipc_ = has_ipc_ || ipc != 0;
}

void CpuOverview::shrink(std::size_t buckets) {
  const auto most = [&] {
    std::size_t size = 0;
    for (const auto& [cpu, row] : cpus_) size = std::max(size, row.size());
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
  for (const auto& [cpu, buckets] : cpus_) {
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
