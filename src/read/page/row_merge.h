// SPDX-License-Identifier: BSD-3-Clause
// Several rows, each in the order of time, as one. In: how long each row is, the rows one behind
// the other, and the time of any place; out: places in the order of time, those of an earlier row
// first.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/merge_tree.h"
#include "base/units.h"

namespace kutrace::read {

template <typename TimeOf>  // Ns(std::size_t place)
class RowMerge {
 public:
  RowMerge(const std::vector<std::size_t>& sizes, TimeOf time_of) : time_of_(std::move(time_of)) {
    std::vector<std::optional<Ns>> times;
    std::size_t at = 0;
    for (const std::size_t size : sizes) {
      rows_.push_back({at, at + size});
      times.push_back(size == 0 ? std::nullopt : std::optional(time_of_(at)));
      at += size;
    }
    tree_.start(times);
  }
  bool over() const { return tree_.over(); }
  // The next place and its row, while not over.
  std::size_t place() const { return rows_[row()].at; }
  std::size_t row() const { return tree_.first(); }
  void pop() {
    Row& row = rows_[tree_.first()];
    if (++row.at == row.end) {
      tree_.ends();
    } else {
      tree_.goes_on(time_of_(row.at));
    }
  }

 private:
  struct Row {
    std::size_t at = 0;
    std::size_t end = 0;
  };

  TimeOf time_of_;
  std::vector<Row> rows_;
  MergeTree tree_;
};

}  // namespace kutrace::read
