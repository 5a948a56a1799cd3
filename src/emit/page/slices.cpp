// SPDX-License-Identifier: BSD-3-Clause
// Buckets of one thread, see slices.h.
#include "emit/page/slices.h"

#include <algorithm>
#include <iterator>

namespace kutrace::emit {

void Slice::merge(const Slice& other) {
  user += other.user;
  kernel += other.kernel;
  interrupt += other.interrupt;
  wait += other.wait;
  if (other.longest_wait <= longest_wait) return;
  longest_wait = other.longest_wait;
  reason = other.reason;
}

Slice& Slices::other(std::uint32_t number) {
  if (all_.empty() || all_.back().bucket < number) {
    return all_.emplace_back(Slice{.bucket = number});
  }
  // CPUs are merged with a little slack: the place is the end, or close to it.
  auto next = all_.end();
  while (next != all_.begin() && std::prev(next)->bucket > number) --next;
  if (next != all_.begin() && std::prev(next)->bucket == number) return *std::prev(next);
  return *all_.insert(next, Slice{.bucket = number});
}

void Slices::halve() {
  for (Slice& slice : all_) slice.bucket /= 2;
  merge_equal_neighbours();
}

void Slices::join(const Slices& other) {
  std::vector<Slice> both;
  both.reserve(all_.size() + other.all_.size());
  std::merge(all_.begin(), all_.end(), other.all_.begin(), other.all_.end(),
             std::back_inserter(both),
             [](const Slice& a, const Slice& b) { return a.bucket < b.bucket; });
  all_ = std::move(both);
  merge_equal_neighbours();
}

void Slices::merge_equal_neighbours() {
  if (all_.empty()) return;
  auto last = all_.begin();
  for (auto slice = std::next(last); slice != all_.end(); ++slice) {
    if (slice->bucket == last->bucket) {
      last->merge(*slice);
    } else {
      *++last = *slice;
    }
  }
  all_.erase(std::next(last), all_.end());
}

}  // namespace kutrace::emit
