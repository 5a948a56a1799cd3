// SPDX-License-Identifier: BSD-3-Clause
// Rows of threads in pages and tables, in the order of their appearance. In: a thread's number and,
// if the trace tells it, its id; out: its row. Threads that have one number in turn have a row
// each; a number without an id means the thread that has it by then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/by_number.h"
#include "base/units.h"
#include "model/span.h"

namespace kutrace {

class ThreadRows {
 public:
  struct Row {
    Pid pid = kNoPid;
    ThreadId thread = ThreadId::kNone;  // kNone: not told so far
    std::uint32_t number = 0;           // of its pid, in order of appearance
  };

  std::uint32_t index(Pid pid, ThreadId thread = ThreadId::kNone) {
    const auto id = static_cast<std::size_t>(thread);
    if (thread == ThreadId::kNone) return holder(pid);
    if (id < last_.size() && rows_[last_[id]].pid == pid && rows_[last_[id]].thread == thread) {
      return last_[id];
    }
    return index_of(pid, thread);
  }
  // Whether the thread was the last one to have its number.
  bool is_last(std::uint32_t index) const { return holders_[rows_[index].number] == index; }
  const Row& at(std::uint32_t index) const { return rows_[index]; }
  std::size_t size() const { return rows_.size(); }

 private:
  std::uint32_t holder(Pid pid) {
    const std::uint32_t number = (*numbers_)[pid];
    return number == 0 ? add(pid) : holders_[number - 1];
  }
  std::uint32_t index_of(Pid pid, ThreadId thread);
  std::uint32_t index_of_other(Pid pid, ThreadId thread);
  std::uint32_t add(Pid pid);
  std::uint32_t add(Pid pid, std::uint32_t number);

  std::vector<Row> rows_;
  std::vector<std::uint32_t> last_;     // of each thread's id: its row, which may be another's
  std::vector<std::uint32_t> holders_;  // of each pid's number: who has it
  // Of pids, in the order of appearance, + 1. A table of 32 KB: not for the stack.
  std::unique_ptr<ByNumber<std::uint32_t>> numbers_ = std::make_unique<ByNumber<std::uint32_t>>();
  std::map<std::pair<Pid, ThreadId>, std::uint32_t> former_;  // who had a pid before
};

}  // namespace kutrace
