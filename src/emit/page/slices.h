// SPDX-License-Identifier: BSD-3-Clause
// One thread's row of the overview: the buckets of time in which it executed, or waited. In: parts
// of its spans, mostly in time order; out: slices in ascending order of their buckets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace kutrace::emit {

// How long it executed, in ns as all times here.
struct WorkSlice {
  std::uint32_t bucket = 0;
  float user = 0;
  float kernel = 0;
  float interrupt = 0;

  void merge(const WorkSlice& other) {
    user += other.user;
    kernel += other.kernel;
    interrupt += other.interrupt;
  }
};

struct WaitSlice {
  std::uint32_t bucket = 0;
  float wait = 0;
  float longest = 0;
  std::uint8_t reason = 0;  // of the longest: letter - 'a' + 1; 0: none

  void merge(const WaitSlice& other) {
    wait += other.wait;
    if (other.longest <= longest) return;
    longest = other.longest;
    reason = other.reason;
  }
};

template <typename Slice>
class Slices {
 public:
  // The slice of that bucket, made where there was none.
  Slice& at(std::size_t bucket) {
    const auto number = static_cast<std::uint32_t>(bucket);
    return !all_.empty() && all_.back().bucket == number ? all_.back() : other(number);
  }
  // Copies of `like`, one for each bucket of [first, last]. False: there are slices at these, or
  // behind them, and nothing is done.
  bool append(std::size_t first, std::size_t last, Slice like) {
    if (!all_.empty() && all_.back().bucket >= first) return false;
    if (all_.capacity() == 0) all_.reserve(std::max(last - first + 1, kFewest));
    for (std::size_t bucket = first; bucket <= last; ++bucket) {
      like.bucket = static_cast<std::uint32_t>(bucket);
      all_.push_back(like);
    }
    return true;
  }
  // Buckets twice as wide.
  void halve() {
    if (all_.empty()) return;
    auto last = all_.begin();
    last->bucket /= 2;
    for (auto slice = std::next(last); slice != all_.end(); ++slice) {
      slice->bucket /= 2;
      if (slice->bucket == last->bucket) {
        last->merge(*slice);
      } else {
        *++last = *slice;
      }
    }
    all_.erase(std::next(last), all_.end());
  }

  std::size_t size() const { return all_.size(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  // One that is not the last.
  Slice& other(std::uint32_t number) {
    if (all_.capacity() == 0) all_.reserve(kFewest);
    if (all_.empty() || all_.back().bucket < number) {
      Slice& slice = all_.emplace_back();
      slice.bucket = number;
      return slice;
    }
    // CPUs are merged with a little slack: the place is the end, or close to it.
    auto next = all_.end();
    while (next != all_.begin() && std::prev(next)->bucket > number) --next;
    if (next != all_.begin() && std::prev(next)->bucket == number) return *std::prev(next);
    Slice slice;
    slice.bucket = number;
    return *all_.insert(next, slice);
  }

  static constexpr std::size_t kFewest = 6;  // room, once there is one

  std::vector<Slice> all_;
};

}  // namespace kutrace::emit
