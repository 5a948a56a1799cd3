// SPDX-License-Identifier: BSD-3-Clause
// How long each part of a course took. Parts are named when they are over; each began where the one
// before it ended.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace kutrace::record {

struct Part {
  std::string what;
  double ms = 0;
};

class Stopwatch {
 public:
  void over(std::string what) {
    const Clock::time_point now = Clock::now();
    parts_.push_back(
        {std::move(what), std::chrono::duration<double, std::milli>(now - at_).count()});
    at_ = now;
  }
  // Begins a part that has nothing to do with what was before.
  void anew() { at_ = Clock::now(); }
  // Takes over the parts of what somebody else did meanwhile.
  void add(const std::vector<Part>& parts) {
    parts_.insert(parts_.end(), parts.begin(), parts.end());
    anew();
  }
  const std::vector<Part>& parts() const { return parts_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point at_ = Clock::now();
  std::vector<Part> parts_;
};

}  // namespace kutrace::record
