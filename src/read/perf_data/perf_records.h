// SPDX-License-Identifier: BSD-3-Clause
// The records of a perf.data. In: its header, and the bytes; out: items in the order in which they
// stand in the file, and ends of rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"
#include "read/perf_data/packed_records.h"
#include "read/perf_data/perf_header.h"
#include "read/perf_data/perf_order.h"

namespace kutrace::read {

class PerfRecords {
 public:
  struct Taker {
    std::function<Status(const PerfItem&)> item;
    std::function<Status()> end_of_round;
  };

  // Of packed records, at most so many bytes are unpacked.
  PerfRecords(PerfHeader& header, Taker taker, std::uint64_t most_unpacked);

  Status read();
  // What was found.
  bool cut() const { return cut_; }
  std::uint64_t unreadable() const { return unreadable_; }
  // Nobody knows when, or where.
  std::uint64_t lost_samples() const {
    return lost_samples_ + (counted_lost_ > timed_lost_ ? counted_lost_ - timed_lost_ : 0);
  }

 private:
  Status packed(std::span<const std::byte> piece);
  Status record(std::uint32_t type, std::uint16_t misc, std::span<const std::byte> body);
  Status of_tool(std::uint32_t type, std::span<const std::byte> body);
  Status sample(std::uint16_t misc, std::span<const std::byte> body);
  Status lost(std::span<const std::byte> body);
  Status name(std::span<const std::byte> body);
  Status fork(std::span<const std::byte> body);
  Status switched(std::uint16_t misc, std::span<const std::byte> body);
  const PerfAttr* attr_of(std::span<const std::byte> body) const;
  PerfSample tail(std::span<const std::byte> body) const;
  Status unreadable_record();

  PerfHeader& header_;
  Taker taker_;
  std::span<const std::byte> rest_;
  PackedRecords packed_;
  bool cut_ = false;
  std::uint64_t unreadable_ = 0;
  std::uint64_t lost_samples_ = 0;
  std::uint64_t timed_lost_ = 0;
  std::uint64_t counted_lost_ = 0;  // these among them, where they were
};

}  // namespace kutrace::read
