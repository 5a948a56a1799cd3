// SPDX-License-Identifier: BSD-3-Clause
// The overview of the page, see lod.h and doc/page-format.md.
#include "emit/page/lod.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "base/add_time.h"
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
  for (Run& run : runs_) {
    if (run.until == kNothing || run.until == kAll) continue;
    run.bucket /= 2;
    run.until = end_of(run.bucket);
  }
}

// Not kAll, which says that there is no row.
Ns Overview::end_of(std::uint32_t bucket) const {
  return std::min(end_of_bucket(bucket, begin_, thread_width_), kAll - 1);
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

// Of one that reaches over several buckets all but the last part is told at once.
void Overview::begin_run(Run& run, const SlabSpan& span) {
  finish_run(run);
  if (!started_) begin_ = span.start;
  started_ = true;
  run.thread = span.thread;
  run.until = kAll;
  if (!has_row(span.thread)) return;
  reach(span.end());
  const int shift = std::countr_zero(static_cast<std::uint64_t>(thread_width_));
  const Ns from = std::max<Ns>(span.start - begin_, 0);
  const Ns to = std::max(span.end() - begin_, from);
  const Ns last = std::max(from >> shift, (to - 1) >> shift);
  run.bucket = static_cast<std::uint32_t>(last);
  run.until = end_of(run.bucket);
  if (last == from >> shift) return;
  const std::size_t mode = mode_of(span.what);
  Slices<WorkSlice>& slices = thread(span.thread).work;
  const std::size_t before = slices.size();
  split_to_buckets(
      begin_ + from, (last << shift) - from, begin_, thread_width_,
      [&](std::size_t bucket, float part) {
        WorkSlice& slice = slices.at(bucket);
        (mode == kOfUser ? slice.user : mode == kOfKernel ? slice.kernel : slice.interrupt) += part;
      });
  const Ns told = span.duration - (to - (last << shift));
  ThreadTotal& total = totals_of(span.thread);
  add_time(mode == kOfUser ? total.user : total.kernel, told);
  run.time[mode] = -told;
  grown(slices.size() - before);
}

void Overview::finish_run(Run& run) {
  if (run.spans == 0) return;
  const std::array<Ns, kModes> time = std::exchange(run.time, {});
  const std::uint64_t spans = std::exchange(run.spans, 0);
  ThreadTotal& total = totals_of(run.thread);
  add_time(total.user, time[kOfUser]);
  add_time(total.kernel, time[kOfKernel]);
  add_time(total.kernel, time[kOfInterrupts]);
  total.spans += spans;
  if (!has_row(run.thread)) return;
  spans_ += spans;
  Slices<WorkSlice>& slices = thread(run.thread).work;
  const std::size_t before = slices.size();
  WorkSlice& slice = slices.at(run.bucket);
  slice.user += static_cast<float>(time[kOfUser]);
  slice.kernel += static_cast<float>(time[kOfKernel]);
  slice.interrupt += static_cast<float>(time[kOfInterrupts]);
  grown(slices.size() - before);
}

void Overview::finish() {
  for (Run& run : runs_) {
    finish_run(run);
    run.until = kNothing;
  }
}

void Overview::expect_waits(Ns time) {
  while (slices_ + static_cast<std::size_t>(time / thread_width_) > most_slices() &&
         thread_width_ < kWidestBucket) {
    widen_threads();
  }
}

void Overview::add_wait(const SlabOverlay& wait) {
  reach(wait.end());
  Slices<WaitSlice>& slices = thread(wait.thread).waits;
  const std::size_t before = slices.size();
  // Most waits of a thread follow one another, over whole buckets but for the first and the last.
  const auto width = static_cast<float>(thread_width_);
  split_to_buckets(
      wait.start, wait.duration, begin_, thread_width_,
      [&](std::size_t bucket, float part) {
        slices.at(bucket).merge({.wait = part, .longest = part, .reason = wait.reason});
      },
      [&](std::size_t first, std::size_t last) {
        return slices.append(first, last, {.wait = width, .longest = width, .reason = wait.reason});
      });
  grown(slices.size() - before);
}

void Overview::shrink(std::size_t thread_entries) {
  const std::size_t most = std::max(thread_entries, kSlicesPerThread * threads_.size());
  while (count_buckets() > most) widen_threads();
}

void Overview::put_threads(Column& out) const {
  const float scale = share_scale(thread_width_);
  constexpr WorkSlice kNoWork;
  constexpr WaitSlice kNoWait;
  std::array<Column, 5> planes;
  auto& [user, kernel, interrupt, waiting, reasons] = planes;
  out.put(threads_.size());
  for (const Thread& thread : threads_) {
    for (Column& plane : planes) plane.clear();
    out.put(thread.buckets());
    std::uint32_t last = 0;
    // A bucket in which the thread executed, or waited, or both.
    const auto put = [&](std::uint32_t bucket, const WorkSlice& work, const WaitSlice& wait) {
      out.put(bucket - std::exchange(last, bucket));
      user.put_byte(bucket_share(work.user, scale));
      kernel.put_byte(bucket_share(work.kernel, scale));
      interrupt.put_byte(bucket_share(work.interrupt, scale));
      waiting.put_byte(bucket_share(wait.wait, scale));
      reasons.put_byte(wait.reason);
    };
    auto wait = thread.waits.begin();
    const auto waits_end = thread.waits.end();
    for (const WorkSlice& work : thread.work) {
      for (; wait != waits_end && wait->bucket < work.bucket; ++wait) {
        put(wait->bucket, kNoWork, *wait);
      }
      const bool both = wait != waits_end && wait->bucket == work.bucket;
      put(work.bucket, work, both ? *wait++ : kNoWait);
    }
    for (; wait != waits_end; ++wait) put(wait->bucket, kNoWork, *wait);
    for (const Column& plane : planes) out.append(plane);
  }
}

Column Overview::encode(const CpuOverview& cpus, Ns end) const {
  Column out;
  cpus.put_widths(end, out);
  out.put(static_cast<std::uint64_t>(thread_width_));
  out.put(bucket_count(end - begin_, thread_width_));
  cpus.put_buckets(out);
  put_threads(out);
  return out;
}

}  // namespace kutrace::emit
