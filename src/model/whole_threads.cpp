// SPDX-License-Identifier: BSD-3-Clause
// Joining what a thread was under each of its numbers.
#include "model/whole_threads.h"

namespace kutrace {

std::uint32_t WholeThreads::row_of(std::uint32_t piece, Pid pid, ThreadId thread) {
  while (of_piece_.size() <= piece) of_piece_.push_back(kNone);
  std::uint32_t& row = of_piece_[piece];
  const auto place = static_cast<std::size_t>(thread);
  const bool is_told = thread != ThreadId::kNone;
  if (is_told && place >= known_.size()) known_.resize(place + 1);
  if (is_told && known_[place].row != kNone) row = known_[place].row;
  if (row == kNone) {
    row = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back({.pid = pid, .first_piece = piece, .last_piece = piece});
  }
  if (is_told) known_[place].row = row;
  return row;
}

// A number that it had before may be said late.
std::uint32_t WholeThreads::index_of(Pid pid, ThreadId thread) {
  const std::uint32_t piece = pieces_.index(pid, thread);
  const std::uint32_t before = piece < of_piece_.size() ? of_piece_[piece] : kNone;
  const std::uint32_t row = row_of(piece, pid, thread);
  if (thread != ThreadId::kNone) known_[static_cast<std::size_t>(thread)].pid = pid;
  if (row == before) return row;
  rows_[row].pid = pid;
  rows_[row].last_piece = piece;
  return row;
}

bool WholeThreads::had_number(std::uint32_t row, const std::unordered_set<Pid>& numbers) const {
  for (std::uint32_t piece = 0; piece < of_piece_.size(); ++piece) {
    if (of_piece_[piece] == row && numbers.contains(pieces_.at(piece).pid)) return true;
  }
  return false;
}

std::uint32_t WholeThreads::life(const ThreadLife& life) {
  const std::uint32_t piece = pieces_.index(life.pid, life.thread);
  const std::uint32_t row = row_of(piece, life.pid, life.thread);
  Row& whole = rows_[row];
  if (life.begin < whole.begin) return row;
  whole.begin = life.begin;
  whole.pid = life.pid;
  whole.last_piece = piece;
  if (life.name != kNoName) whole.lived = life.name;
  return row;
}

}  // namespace kutrace
