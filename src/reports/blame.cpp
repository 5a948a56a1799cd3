// SPDX-License-Identifier: BSD-3-Clause
// Summing what waits went to.
#include "reports/blame.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/add_time.h"
#include "base/check.h"
#include "reports/name_rows.h"

namespace kutrace::reports {

namespace {

class Sums {
 public:
  Sums(Happenings& happenings, CriticalPath& path) : rows_(happenings), path_(path) {}

  // Of each cause of a wait, the wait counts once.
  void add(const Interval& wait, const Piece& piece) {
    std::map<Cause, Ns> parts;
    path_.walk(wait, [&](const PathPiece& part) {
      parts[rows_.general(part.cause, piece.row)] += part.duration();
    });
    for (const auto& [cause, time] : parts) {
      BlameRow& row = sums_[{piece.letter, cause}];
      row.letter = piece.letter;
      row.cause = cause;
      ++row.waits;
      add_time(row.total, time);
      row.longest = std::max(row.longest, time);
    }
  }

  std::vector<BlameRow> rows() const {
    std::vector<BlameRow> rows;
    rows.reserve(sums_.size());
    for (const auto& [key, row] : sums_) rows.push_back(row);
    std::ranges::stable_sort(rows, std::ranges::greater{}, &BlameRow::total);
    return rows;
  }

 private:
  NameRows rows_;
  CriticalPath& path_;
  std::map<std::pair<char, Cause>, BlameRow> sums_;
};

}  // namespace

Blame blame(Happenings& happenings, CriticalPath& path, const std::vector<TimeWindow>& windows,
            const std::function<bool(const Piece&)>& wanted) {
  Blame blame;
  Sums sums(happenings, path);
  for (const Piece& piece : happenings.pieces()) {
    if (piece.kind != SpanKind::kWait || !wanted(piece)) continue;
    for (std::size_t i = first_window_after(windows, piece.begin);
         i < windows.size() && windows[i].begin < piece.end; ++i) {
      const Interval wait{.begin = std::max(piece.begin, windows[i].begin),
                          .end = std::min(piece.end, windows[i].end),
                          .pid = happenings.pid_of(piece.row),
                          .thread = happenings.thread_of(piece.row)};
      ++blame.waits;
      add_time(blame.total, wait.duration());
      sums.add(wait, piece);
    }
  }
  blame.rows = sums.rows();
  Ns told = 0;
  for (const BlameRow& row : blame.rows) add_time(told, row.total);
  check(told == blame.total, "what waits went to adds up to them");
  return blame;
}

}  // namespace kutrace::reports
