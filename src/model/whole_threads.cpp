// SPDX-License-Identifier: BSD-3-Clause
// Joining what a thread was under each of its numbers.
#include "model/whole_threads.h"

namespace kutrace {

std::uint32_t WholeThreads::index_of(Pid pid, ThreadId thread) {
  const std::uint32_t piece = pieces_.index(pid, thread);
  while (of_piece_.size() <= piece) of_piece_.push_back(kNone);
  std::uint32_t& row = of_piece_[piece];
  const auto place = static_cast<std::size_t>(thread);
  if (thread != ThreadId::kNone) {
    if (place >= known_.size()) known_.resize(place + 1);
    if (known_[place].row != kNone) row = known_[place].row;
  }
  if (row == kNone) {
    row = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back({.pid = pid, .first_piece = piece, .last_piece = piece});
  }
  if (thread != ThreadId::kNone) {
    known_[place] = {pid, row};
    rows_[row].pid = pid;
    rows_[row].last_piece = piece;
  }
  return row;
}

std::uint32_t WholeThreads::life(const ThreadLife& life) {
  const std::uint32_t row = index(life.pid, life.thread);
  Row& whole = rows_[row];
  if (life.begin < whole.begin) return row;
  whole.begin = life.begin;
  whole.pid = life.pid;
  whole.last_piece = pieces_.index(life.pid, life.thread);
  if (life.name != kNoName) whole.lived = life.name;
  return row;
}

}  // namespace kutrace
