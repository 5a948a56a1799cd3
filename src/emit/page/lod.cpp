// SPDX-License-Identifier: BSD-3-Clause
// The overview of the page, see lod.h and doc/page-format.md.
#include "emit/page/lod.h"

#include <vector>

#include "emit/page/buckets.h"

namespace kutrace::emit {

Overview::Overview(std::size_t most_buckets)
    : covered_(covered_time(thread_width_, most_buckets)), most_thread_buckets_(most_buckets) {}

void Overview::widen_threads() {
  thread_width_ *= 2;
  covered_ = covered_time(thread_width_, most_thread_buckets_);
  for (Thread& thread : threads_) {
    thread.work.halve();
    thread.waits.halve();
  }
  slices_ = count_slices();
}

std::size_t Overview::count_slices() const {
  std::size_t sum = 0;
  for (const Thread& thread : threads_) sum += thread.work.size() + thread.waits.size();
  return sum;
}

std::size_t Overview::Thread::buckets() const {
  std::size_t common = 0;
  auto wait = waits.begin();
  for (const WorkSlice& slice : work) {
    while (wait != waits.end() && wait->bucket < slice.bucket) ++wait;
    if (wait == waits.end()) break;
    if (wait->bucket == slice.bucket) ++common;
  }
  return work.size() + waits.size() - common;
}

std::size_t Overview::count_buckets() const {
  std::size_t sum = 0;
  for (const Thread& thread : threads_) sum += thread.buckets();
  return sum;
}

void Overview::add_to_thread(const Span& span, ThreadIndex number) {
  Slices<WorkSlice>& slices = thread(number).work;
  const std::size_t before = slices.size();
  float WorkSlice::* const time = is_user(span.kind)        ? &WorkSlice::user
                                  : is_interrupt(span.kind) ? &WorkSlice::interrupt
                                                            : &WorkSlice::kernel;
  split_to_buckets(span.start, span.duration, begin_, thread_width_,
                   [&](std::size_t bucket, float part) { slices.at(bucket).*time += part; });
  grown(slices.size() - before);
}

void Overview::add_wait(Ns start, Ns duration, EventNum event, ThreadIndex number) {
  reach(start + duration);
  Slices<WaitSlice>& slices = thread(number).waits;
  const std::size_t before = slices.size();
  const auto reason = static_cast<std::uint8_t>((event & 31) + 1);
  split_to_buckets(start, duration, begin_, thread_width_, [&](std::size_t bucket, float part) {
    slices.at(bucket).merge({.wait = part, .longest = part, .reason = reason});
  });
  grown(slices.size() - before);
}

void Overview::add(const Span& span, ThreadIndex thread) {
  if (!started_) begin_ = span.start;
  started_ = true;
  if (thread == kIdleThread || thread == kNoThread) return;
  ++spans_;
  reach(span.start + span.duration);
  add_to_thread(span, thread);
}

void Overview::shrink(std::size_t thread_entries) {
  const std::size_t most = std::max(thread_entries, kSlicesPerThread * threads_.size());
  while (count_buckets() > most) widen_threads();
}

Column Overview::encode_threads() const {
  // A bucket in which a thread executed, or waited, or both.
  struct Bucket {
    WorkSlice work;
    WaitSlice wait;
  };
  const float scale = share_scale(thread_width_);
  std::vector<Bucket> row;
  Column out;
  out.put(threads_.size());
  for (const auto& [work, waits] : threads_) {
    row.clear();
    auto wait = waits.begin();
    for (const WorkSlice& slice : work) {
      for (; wait != waits.end() && wait->bucket < slice.bucket; ++wait) {
        row.push_back({{.bucket = wait->bucket}, *wait});
      }
      const bool both = wait != waits.end() && wait->bucket == slice.bucket;
      row.push_back({slice, both ? *wait++ : WaitSlice{}});
    }
    for (; wait != waits.end(); ++wait) row.push_back({{.bucket = wait->bucket}, *wait});
    out.put(row.size());
    std::uint32_t last = 0;
    for (const Bucket& bucket : row) {
      out.put(bucket.work.bucket - last);
      last = bucket.work.bucket;
    }
    for (const Bucket& bucket : row) out.put_byte(bucket_share(bucket.work.user, scale));
    for (const Bucket& bucket : row) out.put_byte(bucket_share(bucket.work.kernel, scale));
    for (const Bucket& bucket : row) out.put_byte(bucket_share(bucket.work.interrupt, scale));
    for (const Bucket& bucket : row) out.put_byte(bucket_share(bucket.wait.wait, scale));
    for (const Bucket& bucket : row) out.put_byte(bucket.wait.reason);
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
