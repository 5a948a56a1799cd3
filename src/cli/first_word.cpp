// SPDX-License-Identifier: BSD-3-Clause
#include "cli/first_word.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "base/text.h"

namespace kutrace::cli {

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
  const std::vector<std::string_view> names(commands.begin(), commands.end());
  const std::string_view meant = nearest(word, names);
  const std::string hint =
      meant.empty() ? "kutrace --help lists the commands" : fmt::format("kutrace {}", meant);
  return fmt::format("there is no command {}\n  hint: {}", printable(word), hint);
}

}  // namespace kutrace::cli
