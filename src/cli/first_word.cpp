// SPDX-License-Identifier: BSD-3-Clause
#include "cli/first_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/help_topics.h"

namespace kutrace::cli {

std::vector<std::string> without_help_verb(std::vector<std::string> words) {
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

std::string_view topic_asked_for(const std::vector<std::string>& words) {
  return words.size() == 2 && words[0] == "help" ? help_topic(words[1]) : std::string_view();
}

std::string wrong_command(const std::vector<std::string>& words,
                          std::span<const std::string> commands) {
  const bool help = !words.empty() && words.front() == "help";
  const std::size_t first = help ? 1 : 0;
  if (words.size() == first || words[first].starts_with('-')) return {};
  const std::string& word = words[first];
  if (std::ranges::find(commands, word) != commands.end()) return {};
  std::vector<std::string_view> names(commands.begin(), commands.end());
  if (help) std::ranges::copy(help_topic_names(), std::back_inserter(names));
  const std::string_view meant = nearest(word, names);
  const std::string hint = meant.empty() ? "kutrace --help lists the commands"
                                         : fmt::format("kutrace {}{}", help ? "help " : "", meant);
  return fmt::format("there is no {} {}\n  hint: {}", help ? "help on" : "command", printable(word),
                     hint);
}

}  // namespace kutrace::cli
