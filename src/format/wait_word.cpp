// SPDX-License-Identifier: BSD-3-Clause
// Words for reasons of waits.
#include "format/wait_word.h"

#include "format/event_table.h"

namespace kutrace {

std::string_view short_wait(char letter) {
  if (letter == 'c') return "ready";
  if (letter == 'z') return "unexplained";
  const std::string_view name = wait_name(letter);
  return name.substr(name.find('_') + 1);
}

std::optional<char> wait_called(std::string_view word) {
  for (const char letter : wait_letters()) {
    if (short_wait(letter) == word) return letter;
  }
  return std::nullopt;
}

std::vector<char> wait_letters() {
  std::vector<char> letters;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    if (!wait_name(letter).empty()) letters.push_back(letter);
  }
  return letters;
}

}  // namespace kutrace
