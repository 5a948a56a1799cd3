// SPDX-License-Identifier: BSD-3-Clause
// Threads of a trace, each as a whole: one that got another number is still one. In: threads as
// spans name them, and their lives; out: a row for each, in the order of their appearance, and of
// each its last number and its last name. Threads that had one number in turn have a row each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_set>
#include <vector>

#include "model/call.h"
#include "model/thread_rows.h"

namespace kutrace {

class WholeThreads {
 public:
  // A number without an id means the thread that has it by then.
  std::uint32_t index(Pid pid, ThreadId thread = ThreadId::kNone) {
    const auto place = static_cast<std::size_t>(thread);
    const bool may_be_known = thread != ThreadId::kNone && place < known_.size();
    if (may_be_known && known_[place].pid == pid && known_[place].row != kNone) {
      return known_[place].row;
    }
    return index_of(pid, thread);
  }
  // Its row.
  std::uint32_t life(const ThreadLife& life);

  // The last number that was told.
  Pid pid(std::uint32_t row) const { return rows_[row].pid; }
  ThreadId thread(std::uint32_t row) const { return pieces_.at(rows_[row].first_piece).thread; }
  // The last name that its lives tell; kNoName: none.
  NameId lived(std::uint32_t row) const { return rows_[row].lived; }
  // Whether the thread was the last one to have its number.
  bool is_last(std::uint32_t row) const { return pieces_.is_last(rows_[row].last_piece); }
  // Whether one of these was ever its number.
  bool had_number(std::uint32_t row, const std::unordered_set<Pid>& numbers) const;
  std::size_t size() const { return rows_.size(); }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Row {
    Pid pid = kNoPid;
    std::uint32_t first_piece = 0;  // by pieces_
    std::uint32_t last_piece = 0;
    NameId lived = kNoName;
    Ns begin = std::numeric_limits<Ns>::min();  // of the life that told of number and name
  };
  struct Known {
    Pid pid = kNoPid;
    std::uint32_t row = kNone;
  };
  std::uint32_t index_of(Pid pid, ThreadId thread);
  std::uint32_t row_of(std::uint32_t piece, Pid pid, ThreadId thread);

  ThreadRows pieces_;                    // of a thread, one for each number
  std::vector<std::uint32_t> of_piece_;  // its row
  std::vector<Row> rows_;
  std::vector<Known> known_;  // by id: the number that it was asked for by last, and its row
};

}  // namespace kutrace
