// SPDX-License-Identifier: BSD-3-Clause
// Distances of words, by letters.
#include "base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace kutrace {

namespace {

// Letters to insert, remove or replace (Levenshtein's distance), one row of its table at a time.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> names) {
  std::string_view best;
  std::size_t fewest = std::min<std::size_t>(3, word.size());
  for (const std::string_view name : names) {
    const std::size_t changes = distance(word, name);
    if (changes < fewest) {
      fewest = changes;
      best = name;
    }
  }
  return best;
}

std::string meant_or(std::string_view word, std::span<const std::string_view> names,
                     std::string_view otherwise) {
  const std::string_view meant = nearest(word, names);
  if (meant.empty()) return std::string(otherwise);
  return "did you mean " + std::string(meant) + "? " + std::string(otherwise);
}

}  // namespace kutrace
