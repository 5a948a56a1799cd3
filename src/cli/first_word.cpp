// SPDX-License-Identifier: BSD-3-Clause
#include "cli/first_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "base/text.h"

namespace kutrace::cli {

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

std::string_view nearest(std::string_view word, std::span<const std::string> names) {
  std::string_view best;
  std::size_t fewest = std::min<std::size_t>(3, word.size());
  for (const std::string& name : names) {
    const std::size_t changes = distance(word, name);
    if (changes < fewest) {
      fewest = changes;
      best = name;
    }
  }
  return best;
}

std::vector<std::string> without_help_verb(std::vector<std::string> words) {
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

std::string wrong_command(const std::vector<std::string>& words,
                          std::span<const std::string> commands) {
  if (words.empty() || words.front().starts_with('-')) return {};
  const std::string& word = words.front();
  if (std::ranges::find(commands, word) != commands.end()) return {};
  const std::string_view meant = nearest(word, commands);
  const std::string hint =
      meant.empty() ? "kutrace --help lists the commands" : fmt::format("kutrace {}", meant);
  return fmt::format("there is no command {}\n  hint: {}", printable(word), hint);
}

}  // namespace kutrace::cli
