// SPDX-License-Identifier: BSD-3-Clause
// One thread's row of the overview: the buckets of time in which it did anything. In: parts of its
// spans, mostly in time order; out: slices in ascending order of their buckets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kutrace::emit {

struct Slice {
  std::uint32_t bucket = 0;
  float user = 0;  // ns, as all times here
  float kernel = 0;
  float interrupt = 0;
  float wait = 0;
  float longest_wait = 0;
  std::uint8_t reason = 0;  // of the longest wait: letter - 'a' + 1; 0: none

  void merge(const Slice& other);
};

class Slices {
 public:
  // The slice of that bucket, made where there was none.
  Slice& at(std::size_t bucket) {
    const auto number = static_cast<std::uint32_t>(bucket);
    return !all_.empty() && all_.back().bucket == number ? all_.back() : other(number);
  }
  // Buckets twice as wide.
  void halve();
  // Adds another row of the same thread.
  void join(const Slices& other);

  std::size_t size() const { return all_.size(); }
  std::vector<Slice>::const_iterator begin() const { return all_.begin(); }
  std::vector<Slice>::const_iterator end() const { return all_.end(); }

 private:
  // One that is not the last.
  Slice& other(std::uint32_t number);
  void merge_equal_neighbours();

  std::vector<Slice> all_;
};

}  // namespace kutrace::emit
