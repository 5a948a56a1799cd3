// SPDX-License-Identifier: BSD-3-Clause
// Numbers for slices that are under way.
#include "read/chrome/chrome_asyncs.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "format/event_table.h"

namespace kutrace::read {

namespace {

constexpr std::uint32_t kMostRpcs = 65535;

// Numbers that no slice under way has: new ones, and then those that are free for longest, as
// slices of one number are one RPC in tables.
class FreeNumbers {
 public:
  // 0: none.
  std::uint32_t take() {
    if (next_ <= kMostRpcs) return next_++;
    if (free_.empty()) return 0;
    const std::uint32_t number = free_.front();
    free_.pop_front();
    return number;
  }
  void give_back(std::uint32_t number) { free_.push_back(number); }

 private:
  std::deque<std::uint32_t> free_;
  std::uint32_t next_ = 1;
};

struct Open {
  std::uint32_t rpc = 0;  // 0: it has none
  NameId name = kNoName;
};

}  // namespace

void ChromeAsyncs::add(const ChromeEvent& event, Pid pid, Ns time, NameId name, bool begins) {
  std::string id = fmt::format("{}\n{}", event.category, event.id);
  if (event.id_is_local) id += fmt::format("\n{}", event.process);
  const auto number_of = [](auto& numbers, std::string key) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    return numbers.try_emplace(std::move(key), next).first->second;
  };
  const std::uint32_t key = number_of(keys_, fmt::format("{}\n\n{}", id, event.name));
  const bool ends_any = !begins && event.name.empty();
  edges_.push_back({time, key, number_of(ids_, std::move(id)), pid, name, begins, ends_any});
}

Span ChromeAsyncs::point(const Edge& edge, std::uint32_t rpc, NameId name) const {
  Span span;
  span.start = edge.time;
  span.pid = edge.pid;
  span.arg = rpc;
  span.rpc = rpc;
  span.event = edge.begins ? ev::kRPC_REQUEST : ev::kRPC_RESPONSE;
  span.name = name;
  span.kind = SpanKind::kPoint;
  return span;
}

void ChromeAsyncs::finish(SpanSink& sink, Counters& counters) {
  std::ranges::stable_sort(edges_, {}, &Edge::time);
  FreeNumbers numbers;
  std::vector<std::vector<Open>> open(keys_.size());
  // Of each id the keys that began, in this order; more of one than are open: the last of it is
  // over.
  std::vector<std::vector<std::uint32_t>> begun_of(ids_.size());
  std::vector<std::size_t> times_begun(keys_.size());
  const auto innermost = [&](const Edge& edge) {
    std::vector<std::uint32_t>& begun = begun_of[edge.id];
    while (!begun.empty() && times_begun[begun.back()] > open[begun.back()].size()) {
      --times_begun[begun.back()];
      begun.pop_back();
    }
    return begun.empty() ? edge.key : begun.back();
  };
  for (const Edge& edge : edges_) {
    const std::uint32_t key = edge.ends_any ? innermost(edge) : edge.key;
    std::vector<Open>& of_key = open[key];
    if (edge.begins) {
      begun_of[edge.id].push_back(key);
      ++times_begun[key];
      Open begun{numbers.take(), kNoName};
      if (begun.rpc == 0) {
        counters.add(Counter::kChromeEventLeftOut);
      } else {
        begun.name = names_.intern(fmt::format("{}.{}", names_.text(edge.name), begun.rpc));
        sink.push(point(edge, begun.rpc, begun.name));
      }
      of_key.push_back(begun);
      continue;
    }
    if (of_key.empty()) {
      counters.add(Counter::kChromeAsyncNotWhole);
      continue;
    }
    // Those that have all in common lie in one another.
    const Open ended = of_key.back();
    of_key.pop_back();
    if (ended.rpc == 0) continue;
    sink.push(point(edge, ended.rpc, ended.name));
    numbers.give_back(ended.rpc);
  }
  for (const std::vector<Open>& of_key : open)
    if (!of_key.empty()) counters.add(Counter::kChromeAsyncNotWhole, of_key.size());
  edges_ = {};
}

}  // namespace kutrace::read
