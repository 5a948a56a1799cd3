// SPDX-License-Identifier: BSD-3-Clause
// Following which row each thread is, see page_lives.h.
#include "read/page/page_lives.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/add_time.h"

namespace kutrace::read {

PageLives::PageLives(const std::vector<PageThreadFacts>& rows, std::vector<NameId> names,
                     SpanSink& next)
    : SpanStage(next), facts_(rows), names_(std::move(names)), rows_(rows.size()) {
  now_.resize(rows.size());
  std::iota(now_.begin(), now_.end(), ThreadIndex{0});
  std::unordered_map<Pid, ThreadIndex> of_number;
  std::vector<ThreadIndex> last(now_);  // by id
  for (ThreadIndex i = kNoThread + 1; i < rows.size(); ++i) {
    const auto [before, is_first] = of_number.try_emplace(rows[i].pid, i);
    if (!is_first) rows_[i].number_before = std::exchange(before->second, i);
    if (rows[i].first == kNoThread) continue;
    rows_[i].thread_before = std::exchange(last[rows[i].first], i);
    rows_[rows_[i].thread_before].thread_after = i;
  }
}

ThreadIndex PageLives::row_of(const Span& span) {
  ThreadIndex& now = now_[static_cast<std::size_t>(span.thread)];
  while (facts_[now].pid != span.pid && rows_[now].thread_after != kNoThread) {
    now = rows_[now].thread_after;
  }
  return now;
}

void PageLives::push(const Span& span) {
  const bool is_lived = is_execution(span.kind) || span.kind == SpanKind::kWait;
  if (is_lived && span.thread != ThreadId::kNone) {
    const ThreadIndex number = row_of(span);
    Row& row = rows_[number];
    if (!std::exchange(row.reached, true)) tell_before(number);
    add_time(is_execution(span.kind) ? row.executing : row.waiting, span.duration);
  }
  next().push(span);
}

void PageLives::tell_before(ThreadIndex row) {
  std::vector<ThreadIndex> over{row};
  for (std::size_t i = 0; i < over.size(); ++i) {
    for (const ThreadIndex before : {rows_[over[i]].number_before, rows_[over[i]].thread_before}) {
      if (before == kNoThread || std::exchange(rows_[before].told, true)) continue;
      over.push_back(before);
    }
  }
  std::ranges::sort(over);
  for (const ThreadIndex before : over) {
    if (before != row) tell(before);
  }
}

void PageLives::tell(ThreadIndex row) {
  const PageThreadFacts& facts = facts_[row];
  if (facts.end < facts.begin) return;
  // Where the page has sums, its spans must add up to them.
  const bool has_sums = facts.waiting.has_value();
  next().life({.thread = ThreadId{facts.first == kNoThread ? row : facts.first},
               .pid = facts.pid,
               .process = facts.info.process,
               .parent = facts.info.parent,
               .name = names_[row],
               .begin = facts.begin,
               .end = facts.end,
               .executing = has_sums ? facts.executing : rows_[row].executing,
               .waiting = has_sums ? *facts.waiting : rows_[row].waiting});
}

void PageLives::finish() {
  for (ThreadIndex row = 0; row < rows_.size(); ++row) {
    if (!std::exchange(rows_[row].told, true)) tell(row);
  }
}

}  // namespace kutrace::read
