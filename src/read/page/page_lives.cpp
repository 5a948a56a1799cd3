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
  for (std::size_t i = 0; i < rows.size(); ++i) rows_[i].pid = rows[i].pid;
  now_.resize(rows.size());
  std::iota(now_.begin(), now_.end(), ThreadIndex{0});
  std::vector<ThreadIndex> order(now_);
  std::ranges::stable_sort(order, [&](ThreadIndex a, ThreadIndex b) { return is_before(a, b); });
  std::unordered_map<Pid, ThreadIndex> of_number;
  std::unordered_map<ThreadIndex, ThreadIndex> of_thread;
  for (const ThreadIndex i : order) {
    if (i <= kNoThread) continue;
    const auto [number, is_first] = of_number.try_emplace(rows[i].pid, i);
    if (!is_first) rows_[i].number_before = std::exchange(number->second, i);
    const ThreadIndex id = rows[i].first == kNoThread ? i : rows[i].first;
    const auto [thread, is_only] = of_thread.try_emplace(id, i);
    if (is_only) {
      now_[id] = i;
    } else {
      rows_[i].thread_before = std::exchange(thread->second, i);
      rows_[rows_[i].thread_before].thread_after = i;
    }
  }
}

// Rows stand in the order in which they were first named, which is most often that of their lives.
bool PageLives::is_before(ThreadIndex a, ThreadIndex b) const {
  return facts_[a].begin < facts_[b].begin;
}

ThreadIndex PageLives::row_of(const Span& span) {
  ThreadIndex& now = now_[static_cast<std::size_t>(span.thread)];
  while (rows_[now].pid != span.pid && rows_[now].thread_after != kNoThread) {
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

void PageLives::expect(Pid pid, ThreadId thread, Ahead ahead) const {
  const auto id = static_cast<std::size_t>(thread);
  if (ahead == Ahead::kFar) {
    prefetch(&now_[id]);
  } else {
    prefetch(&rows_[now_[id]]);
  }
  SpanStage::expect(pid, thread, ahead);
}

void PageLives::tell_before(ThreadIndex row) {
  std::vector<ThreadIndex> over{row};
  for (std::size_t i = 0; i < over.size(); ++i) {
    for (const ThreadIndex before : {rows_[over[i]].number_before, rows_[over[i]].thread_before}) {
      if (before == kNoThread || std::exchange(rows_[before].told, true)) continue;
      over.push_back(before);
    }
  }
  std::ranges::sort(over, [this](ThreadIndex a, ThreadIndex b) { return is_before(a, b); });
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
  std::vector<ThreadIndex> order(rows_.size());
  std::iota(order.begin(), order.end(), ThreadIndex{0});
  std::ranges::stable_sort(order, [&](ThreadIndex a, ThreadIndex b) { return is_before(a, b); });
  for (const ThreadIndex row : order) {
    if (!std::exchange(rows_[row].told, true)) tell(row);
  }
}

}  // namespace kutrace::read
