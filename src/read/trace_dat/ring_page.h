// SPDX-License-Identifier: BSD-3-Clause
// A page of the kernel's ring buffer. In: its bytes; out: its events in order, with their times.
//
//   u64 time | long committed | events ... | long lost, if the page says so
//   event: u32 length:5 delta:27, then bytes by the length: 1..28 words of them; 0: a word with the
//   length first; 29 padding; 30 more of the delta; 31 a whole time
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kutrace::read {

class RingPage {
 public:
  RingPage(std::span<const std::byte> page, std::size_t long_bytes);

  // False at the end, and at what cannot be an event, which `damaged` remembers.
  bool next();
  std::uint64_t time() const { return time_; }
  std::span<const std::byte> event() const { return event_; }
  bool damaged() const { return damaged_; }

  // Events were lost before the page; how many, if it is told, else 0.
  bool lost_before() const { return lost_; }
  std::uint64_t lost_count() const { return lost_count_; }

 private:
  std::uint64_t number(std::size_t bytes);
  bool leave(std::size_t bytes);

  std::span<const std::byte> rest_;
  std::span<const std::byte> event_;
  std::uint64_t time_ = 0;
  std::uint64_t lost_count_ = 0;
  bool lost_ = false;
  bool damaged_ = false;
};

}  // namespace kutrace::read
