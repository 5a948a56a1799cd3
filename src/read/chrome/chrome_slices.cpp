// SPDX-License-Identifier: BSD-3-Clause
// Pairs of begin and end first, then what lies in what.
#include "read/chrome/chrome_slices.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "format/event_table.h"

namespace kutrace::read {

namespace {

constexpr std::size_t kMostDepth = 1024;  // deeper ones have no room on a page

// Slices of a thread that have begun. Finding one costs no more than ending what lies in it.
template <typename Slice>
class OpenSlices {
 public:
  bool empty() const { return slices_.empty(); }
  const Slice& last() const { return slices_.back(); }
  void push(const Slice& slice) {
    slices_.push_back(slice);
    ++named_[slice.name];
  }
  Slice pop() {
    const Slice slice = slices_.back();
    slices_.pop_back();
    if (--named_[slice.name] == 0) named_.erase(slice.name);
    return slice;
  }
  // Whether an end of this name ends one of them.
  bool has(NameId name) const { return name == kNoName ? !empty() : named_.contains(name); }

 private:
  std::vector<Slice> slices_;
  std::unordered_map<NameId, std::size_t> named_;
};

}  // namespace

void ChromeSlices::pair_edges(const std::vector<Owner>& owners, Counters& counters) {
  std::ranges::stable_sort(edges_, [](const Edge& a, const Edge& b) {
    return std::tie(a.owner, a.time) < std::tie(b.owner, b.time);
  });
  OpenSlices<Slice> open;
  const auto end_last = [&](Ns time) {
    Slice slice = open.pop();
    slice.end = time;
    slices_.push_back(slice);
  };
  const auto end_all = [&] {
    while (!open.empty()) {
      counters.add(Counter::kFunctionEndNotSeen);
      end_last(owners[open.last().owner].last);
    }
  };
  for (const Edge& edge : edges_) {
    if (!open.empty() && open.last().owner != edge.owner) end_all();
    if (edge.begins) {
      open.push({edge.time, edge.time, edge.owner, edge.name});
      continue;
    }
    if (!open.has(edge.name)) {
      counters.add(Counter::kFunctionBeginNotSeen);
      continue;
    }
    // What is open in it has ended by now.
    for (; edge.name != kNoName && open.last().name != edge.name; end_last(edge.time))
      counters.add(Counter::kFunctionEndNotSeen);
    end_last(edge.time);
  }
  end_all();
  edges_ = {};
}

void ChromeSlices::finish(const std::vector<Owner>& owners, SpanSink& sink, Counters& counters) {
  pair_edges(owners, counters);
  std::ranges::stable_sort(slices_, [](const Slice& a, const Slice& b) {
    return std::tie(a.owner, a.begin, b.end) < std::tie(b.owner, b.begin, a.end);
  });
  struct Open {
    Slice slice;
    Ns own = 0;  // not in those within it
  };
  std::vector<Open> open;
  const auto close = [&] {
    const auto& [slice, own] = open.back();
    Span span;
    span.start = slice.begin;
    span.duration = slice.end - slice.begin;
    span.pid = owners[slice.owner].pid;
    span.thread = owners[slice.owner].thread;
    span.event = ev::kFUNCTION_CALL;
    span.arg = open.size() - 1;
    span.value = static_cast<std::uint64_t>(own);
    span.name = slice.name;
    span.kind = SpanKind::kFunction;
    sink.push(span);
    open.pop_back();
  };
  for (const Slice& slice : slices_) {
    while (!open.empty() &&
           (open.back().slice.owner != slice.owner || open.back().slice.end <= slice.begin))
      close();
    if (open.size() == kMostDepth) {
      counters.add(Counter::kFunctionsLeftOut);
      continue;
    }
    if (!open.empty()) {
      Open& around = open.back();
      if (around.slice.end < slice.end) counters.add(Counter::kChromeSliceOverlap);
      // Slices that overlap may take more of it than there is.
      around.own -= std::min(around.own, std::min(around.slice.end, slice.end) - slice.begin);
    }
    open.push_back({slice, slice.end - slice.begin});
  }
  while (!open.empty()) close();
  slices_ = {};
}

}  // namespace kutrace::read
