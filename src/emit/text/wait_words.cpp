// SPDX-License-Identifier: BSD-3-Clause
// Words for waits.
#include "emit/text/wait_words.h"

namespace kutrace::emit {

std::string_view waited_for(char letter, bool of_lock) {
  if (of_lock) return "a lock";
  switch (letter) {
    case 'c':
      return "a CPU";
    case 'd':
      return "the disk";
    case 'k':
      return "another task";
    case 'l':
      return "a lock or thread";
    case 'm':
      return "memory";
    case 'n':
      return "a message on a socket";
    case 'p':
      return "a pipe or queue";
    case 'r':
      return "RCU";
    case 's':
      return "the scheduler";
    case 't':
      return "a timer";
    default:
      return "something";
  }
}

}  // namespace kutrace::emit
