// SPDX-License-Identifier: BSD-3-Clause
// The overview of the page, see lod.h and doc/page-format.md.
#include "emit/page/lod.h"

#include <algorithm>
#include <utility>

#include "emit/page/buckets.h"

namespace kutrace::emit {

Overview::Overview(std::size_t most_buckets)
    : covered_(covered_time(thread_width_, most_buckets)), most_thread_buckets_(most_buckets) {}

void Overview::widen_threads() {
  thread_width_ *= 2;
  covered_ = covered_time(thread_width_, most_thread_buckets_);
  for (Thread& thread : threads_) {
    thread.execution.halve();
    thread.waits.halve();
  }
  slices_ = count_slices();
}

std::size_t Overview::count_slices() const {
  std::size_t sum = 0;
  for (const Thread& thread : threads_) sum += thread.execution.size() + thread.waits.size();
  return sum;
}

std::size_t Overview::most_slices() const {
  return std::max(kMostSlices, kSlicesPerThread * threads_.size());
}

void Overview::grown(const Slices& row, std::size_t before) {
  slices_ += row.size() - before;
  if (slices_ > most_slices()) widen_threads();
}

Overview::Thread& Overview::thread(ThreadIndex number) {
  if (number >= threads_.size()) threads_.resize(number + 1);
  return threads_[number];
}

void Overview::add_to_thread(const Span& span, ThreadIndex number) {
  Slices& slices = thread(number).execution;
  const std::size_t before = slices.size();
  split_to_buckets(span.start, span.duration, begin_, thread_width_,
                   [&](std::size_t bucket, float part) {
                     Slice& slice = slices.at(bucket);
                     float& time = is_user(span.kind)        ? slice.user
                                   : is_interrupt(span.kind) ? slice.interrupt
                                                             : slice.kernel;
                     time += part;
                   });
  grown(slices, before);
}

void Overview::add_wait(Ns start, Ns duration, EventNum event, ThreadIndex number) {
  reach(start + duration);
  Slices& slices = thread(number).waits;
  const std::size_t before = slices.size();
  split_to_buckets(start, duration, begin_, thread_width_, [&](std::size_t bucket, float part) {
    Slice wait{.wait = part, .longest_wait = part};
    wait.reason = static_cast<std::uint8_t>((event & 31) + 1);
    slices.at(bucket).merge(wait);
  });
  grown(slices, before);
}

void Overview::add(const Span& span, ThreadIndex thread) {
  if (!started_) begin_ = span.start;
  started_ = true;
  if (thread == kIdleThread || thread == kNoThread) return;
  reach(span.start + span.duration);
  add_to_thread(span, thread);
}

void Overview::shrink(std::size_t thread_entries) {
  for (Thread& thread : threads_) thread.execution.join(std::exchange(thread.waits, {}));
  const std::size_t most = std::max(thread_entries, kSlicesPerThread * threads_.size());
  slices_ = count_slices();
  while (slices_ > most) widen_threads();
}

Column Overview::encode_threads() const {
  Column out;
  out.put(threads_.size());
  for (const auto& [slices, waits] : threads_) {
    out.put(slices.size());
    std::uint32_t last = 0;
    for (const Slice& slice : slices) {
      out.put(slice.bucket - last);
      last = slice.bucket;
    }
    for (const Slice& slice : slices) out.put_byte(bucket_share(slice.user, thread_width_));
    for (const Slice& slice : slices) out.put_byte(bucket_share(slice.kernel, thread_width_));
    for (const Slice& slice : slices) out.put_byte(bucket_share(slice.interrupt, thread_width_));
    for (const Slice& slice : slices) out.put_byte(bucket_share(slice.wait, thread_width_));
    for (const Slice& slice : slices) out.put_byte(slice.reason);
  }
  return out;
}

Column Overview::encode(const CpuOverview& cpus, const Column& threads, Ns end) const {
  Column out;
  cpus.put_widths(end, out);
  out.put(static_cast<std::uint64_t>(thread_width_));
  out.put(bucket_count(end - begin_, thread_width_));
  cpus.put_buckets(out);
  out.append(threads);
  return out;
}

}  // namespace kutrace::emit
