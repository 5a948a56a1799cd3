// SPDX-License-Identifier: BSD-3-Clause
// What breaks a law: all are counted, the first few kept as sentences.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kutrace::reports {

struct Violations {
  static constexpr std::size_t kShown = 20;

  std::uint64_t count = 0;
  std::vector<std::string> first;

  void add(std::string sentence) {
    ++count;
    if (first.size() < kShown) first.push_back(std::move(sentence));
  }
};

}  // namespace kutrace::reports
