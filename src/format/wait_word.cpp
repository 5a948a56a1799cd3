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

}  // namespace kutrace
