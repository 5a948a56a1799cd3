// SPDX-License-Identifier: BSD-3-Clause
// Numbers for slices that are under way.
#include "read/chrome/chrome_asyncs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/event_table.h"

namespace kutrace::read {

namespace {

constexpr std::uint32_t kMostRpcs = 65535;

// Numbers that no slice under way has.
class FreeNumbers {
 public:
  // 0: none.
  std::uint32_t take() {
    if (free_.empty()) return next_ > kMostRpcs ? 0 : next_++;
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  void give_back(std::uint32_t number) { free_.push_back(number); }

 private:
  std::vector<std::uint32_t> free_;
  std::uint32_t next_ = 1;
};

struct Open {
  std::uint32_t rpc = 0;  // 0: it has none
  NameId name = kNoName;
};

}  // namespace

std::uint32_t ChromeAsyncs::key_of(const ChromeEvent& event) {
  std::string key = fmt::format("{}\n{}\n{}", event.category, event.id, event.name);
  if (event.id_is_local) key += fmt::format("\n{}", event.process);
  return keys_.try_emplace(std::move(key), static_cast<std::uint32_t>(keys_.size())).first->second;
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
  for (const Edge& edge : edges_) {
    std::vector<Open>& of_key = open[edge.key];
    if (edge.begins) {
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
