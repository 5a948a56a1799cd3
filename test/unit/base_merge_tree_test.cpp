// SPDX-License-Identifier: BSD-3-Clause
// Queues of any number and length are merged in the order of times, then of queues.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/merge_tree.h"

namespace kutrace {
namespace {

using Queues = std::vector<std::vector<Ns>>;
using Order = std::vector<std::pair<Ns, std::size_t>>;

Order merged(const Queues& queues) {
  std::vector<std::optional<Ns>> first;
  for (const auto& queue : queues) {
    first.push_back(queue.empty() ? std::nullopt : std::optional(queue.front()));
  }
  MergeTree tree;
  tree.start(first);
  std::vector<std::size_t> next(queues.size());
  Order order;
  while (!tree.over()) {
    const std::size_t turn = tree.first();
    const std::vector<Ns>& queue = queues.at(turn);
    order.emplace_back(queue.at(next[turn]), turn);
    if (++next[turn] < queue.size()) {
      tree.goes_on(queue[next[turn]]);
    } else {
      tree.ends();
    }
  }
  return order;
}

TEST_CASE("queues are merged in the order of times, equal ones in that of queues") {
  std::minstd_rand random(1);
  for (const std::size_t count : {0u, 1u, 2u, 3u, 7u, 8u, 9u, 128u}) {
    Queues queues(count);
    Order expected;
    for (std::size_t i = 0; i < count; ++i) {
      Ns time = -50;
      for (auto left = random() % 40; left > 0; --left) {
        time += static_cast<Ns>(random() % 4);
        queues[i].push_back(time);
        expected.emplace_back(time, i);
      }
    }
    std::ranges::stable_sort(expected);
    CHECK(merged(queues) == expected);
  }
}

TEST_CASE("a queue that goes back in time has its turn at once") {
  CHECK(merged({{10, 5, 30}, {7, 20}}) == Order{{7, 1}, {10, 0}, {5, 0}, {20, 1}, {30, 0}});
}

}  // namespace
}  // namespace kutrace
