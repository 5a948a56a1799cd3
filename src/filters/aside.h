// SPDX-License-Identifier: BSD-3-Clause
// What coarsening has put aside of one CPU's time, by sort of span. In: parts; out: one part of a
// sort, or the one that it is best to lay out next, found without a look at all of them: they stand
// by their time, in quarters of powers of two, and in each of these by how long they have not
// grown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/span.h"

namespace kutrace::filters {

// What makes two spans the same sort.
struct SpanSort {
  SpanKind kind;
  Pid pid;
  EventNum event;
  NameId name;
  bool operator==(const SpanSort&) const = default;
};

inline SpanSort sort_of(const Span& span) { return {span.kind, span.pid, span.event, span.name}; }

// Time of one sort: the first of its spans, and how much there is.
struct SpanPart {
  Span span;
  Ns time = 0;
  double ipc_time = 0;      // IPC nibble * ns
  std::uint64_t grown = 0;  // number of the span that was added last

  // More of the same sort. Details that differ are not told.
  void join(const SpanPart& more);
};

class Aside {
 public:
  bool empty() const { return places_.empty(); }
  Ns time() const { return time_; }
  // Of a sort; 0 if there is none.
  Ns time_of(const SpanSort& sort) const;
  // Of a time above 0. Numbers of the spans that were added last do not fall.
  void add(const SpanPart& part);
  std::optional<SpanPart> take(const SpanSort& sort);
  // Of what is aside, and something is: the part whose time, times how long it has not grown, is
  // most, or at least four fifths of the most. One span for much time makes room for many others,
  // and a thread that has left the CPU does not take it up. On recordings of a compiler farm this
  // makes 4 % (10 us) to 30 % (10 ms) fewer spans than the age alone.
  SpanPart take_best(std::uint64_t spans);

 private:
  static constexpr std::size_t kBuckets = std::size_t{64} * 4;
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  struct SortHash {
    std::size_t operator()(const SpanSort& sort) const;
  };
  struct Slot {
    SpanPart part;
    std::uint32_t older = kNowhere;
    std::uint32_t newer = kNowhere;
  };
  struct Ends {
    std::uint32_t oldest = kNowhere;
    std::uint32_t newest = kNowhere;
  };

  static std::size_t bucket_of(Ns time);
  void link(std::uint32_t slot);
  void unlink(std::uint32_t slot);
  SpanPart take_slot(std::uint32_t slot);

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<SpanSort, std::uint32_t, SortHash> places_;  // in slots_
  std::array<Ends, kBuckets> buckets_{};
  std::array<std::uint64_t, kBuckets / 64> used_{};  // a bit for each
  Ns time_ = 0;
};

}  // namespace kutrace::filters
