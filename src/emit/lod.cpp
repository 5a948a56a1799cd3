// SPDX-License-Identifier: BSD-3-Clause
// The overview of the page, see lod.h and doc/page-format.md.
#include "emit/lod.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace kutrace {
namespace {

// 0 stays 0, everything else is at least 1 of 255.
std::uint8_t share(float time, Ns width) {
  if (time <= 0) return 0;
  const float scaled = std::round(255.0f * time / static_cast<float>(width));
  return static_cast<std::uint8_t>(std::clamp(scaled, 1.0f, 255.0f));
}

std::uint8_t log_count(std::uint32_t count) {
  return static_cast<std::uint8_t>(std::bit_width(count));
}

bool is_interrupt(SpanKind kind) { return kind == SpanKind::kIrq || kind == SpanKind::kSoftirq; }

// Calls visit(bucket, part) for each bucket that the interval touches. `width` is a power of two.
template <typename Visit>
void split(Ns start, Ns duration, Ns begin, Ns width, Visit visit) {
  const Ns from = std::max<Ns>(start - begin, 0);
  const Ns to = from + duration;
  const int shift = std::countr_zero(static_cast<std::uint64_t>(width));
  const Ns first = from >> shift;
  const Ns last = std::max(first, (to - 1) >> shift);
  for (Ns bucket = first; bucket <= last; bucket++) {
    const Ns part = std::min(to, (bucket + 1) * width) - std::max(from, bucket * width);
    visit(static_cast<std::size_t>(bucket), static_cast<float>(part));
  }
}

}  // namespace

Overview::Overview(std::size_t most_cpu_buckets, std::size_t most_thread_buckets)
    : most_cpu_buckets_(most_cpu_buckets), most_thread_buckets_(most_thread_buckets) {}

void Overview::widen_cpus() {
  cpu_width_ *= 2;
  for (auto& [cpu, buckets] : cpus_) {
    const std::size_t half = (buckets.size() + 1) / 2;
    for (std::size_t i = 0; i < half; i++) {
      Bucket merged = buckets[2 * i];
      if (2 * i + 1 < buckets.size()) {
        const Bucket& second = buckets[2 * i + 1];
        for (std::size_t k = 0; k < kExecutionKinds; k++) merged.time[k] += second.time[k];
        merged.spans += second.spans;
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

void Overview::widen_threads() {
  thread_width_ *= 2;
  for (Thread& thread : threads_) {
    thread.execution.halve();
    thread.waits.halve();
  }
}

std::vector<Overview::Bucket>& Overview::cpu(CpuId number) {
  if (last_cpu_.second == nullptr || last_cpu_.first != number) {
    last_cpu_ = {number, &cpus_[number]};
  }
  return *last_cpu_.second;
}

void Overview::add_to_cpu(const Span& span, KindIndex kind) {
  std::vector<Bucket>& buckets = cpu(span.cpu);
  split(span.start, span.duration, begin_, cpu_width_, [&](std::size_t index, float part) {
    if (index >= buckets.size()) buckets.resize(index + 1);
    Bucket& bucket = buckets[index];
    bucket.time[static_cast<std::size_t>(span.kind)] += part;
    bucket.spans++;
    if (!is_idle(span.kind) && part > bucket.top_time) {
      bucket.top = kind + 1;
      bucket.top_time = part;
    }
  });
}

Overview::Thread& Overview::thread(ThreadIndex number) {
  if (number >= threads_.size()) threads_.resize(number + 1);
  return threads_[number];
}

void Overview::add_to_thread(const Span& span, ThreadIndex number) {
  Slices& slices = thread(number).execution;
  split(span.start, span.duration, begin_, thread_width_, [&](std::size_t bucket, float part) {
    Slice& slice = slices.at(bucket);
    float& time = is_user(span.kind)        ? slice.user
                  : is_interrupt(span.kind) ? slice.interrupt
                                            : slice.kernel;
    time += part;
  });
}

void Overview::add_wait(Ns start, Ns duration, EventNum event, ThreadIndex number) {
  while (start + duration - begin_ > thread_width_ * static_cast<Ns>(most_thread_buckets_)) {
    widen_threads();
  }
  Slices& slices = thread(number).waits;
  split(start, duration, begin_, thread_width_, [&](std::size_t bucket, float part) {
    Slice wait{.wait = part, .longest_wait = part};
    wait.reason = static_cast<std::uint8_t>((event & 31) + 1);
    slices.at(bucket).merge(wait);
  });
}

void Overview::add(const Span& span, KindIndex kind, ThreadIndex thread) {
  if (!started_) begin_ = span.start;
  started_ = true;
  const Ns reach = span.start + span.duration - begin_;
  while (reach > cpu_width_ * static_cast<Ns>(most_cpu_buckets_)) widen_cpus();
  add_to_cpu(span, kind);
  if (thread == kIdleThread || thread == kNoThread) return;
  while (reach > thread_width_ * static_cast<Ns>(most_thread_buckets_)) widen_threads();
  add_to_thread(span, thread);
}

void Overview::shrink(std::size_t cpu_buckets, std::size_t thread_entries) {
  const auto most = [&] {
    std::size_t size = 0;
    for (const auto& [cpu, buckets] : cpus_) size = std::max(size, buckets.size());
    return size;
  };
  while (most() > cpu_buckets) widen_cpus();
  for (Thread& thread : threads_) thread.execution.join(std::exchange(thread.waits, {}));
  const auto slices = [&] {
    std::size_t sum = 0;
    for (const Thread& thread : threads_) sum += thread.execution.size();
    return sum;
  };
  while (slices() > std::max(thread_entries, 64 * threads_.size())) widen_threads();
}

Column Overview::encode(Ns end) const {
  const auto buckets_of = [&](Ns width) {
    return static_cast<std::uint64_t>(std::max<Ns>((end - begin_ + width - 1) / width, 1));
  };
  Column out;
  out.put_signed(begin_);
  out.put(static_cast<std::uint64_t>(cpu_width_));
  out.put(buckets_of(cpu_width_));
  out.put(static_cast<std::uint64_t>(thread_width_));
  out.put(buckets_of(thread_width_));
  out.put(cpus_.size());
  for (const auto& [cpu, buckets] : cpus_) {
    out.put(cpu);
    out.put(buckets.size());
    for (std::size_t k = 0; k < kExecutionKinds; k++) {
      for (const Bucket& bucket : buckets) out.put_byte(share(bucket.time[k], cpu_width_));
    }
    for (const Bucket& bucket : buckets) out.put_byte(log_count(bucket.spans));
    for (const Bucket& bucket : buckets) out.put(bucket.top);
  }
  out.put(threads_.size());
  for (const auto& [slices, waits] : threads_) {
    out.put(slices.size());
    std::uint32_t last = 0;
    for (const Slice& slice : slices) {
      out.put(slice.bucket - last);
      last = slice.bucket;
    }
    for (const Slice& slice : slices) out.put_byte(share(slice.user, thread_width_));
    for (const Slice& slice : slices) out.put_byte(share(slice.kernel, thread_width_));
    for (const Slice& slice : slices) out.put_byte(share(slice.interrupt, thread_width_));
    for (const Slice& slice : slices) out.put_byte(share(slice.wait, thread_width_));
    for (const Slice& slice : slices) out.put_byte(slice.reason);
  }
  return out;
}

}  // namespace kutrace
