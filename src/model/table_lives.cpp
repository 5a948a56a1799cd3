// SPDX-License-Identifier: BSD-3-Clause
// Rows of the thread table as lives.
#include "model/table_lives.h"

namespace kutrace {

std::vector<ThreadLife> lives_of(const TraceInfo& info) {
  std::vector<ThreadLife> lives;
  for (const auto& [pid, thread] : info.threads) {
    ThreadLife life;
    life.pid = pid;
    life.process = thread.process;
    life.parent = thread.parent;
    life.name = thread.name;
    life.begin = info.begin;
    life.end = info.end;
    lives.push_back(life);
  }
  return lives;
}

}  // namespace kutrace
