// SPDX-License-Identifier: BSD-3-Clause
// Summing what waits went to.
#include "reports/blame.h"

#include <algorithm>
#include <map>

#include "base/add_time.h"
#include "base/check.h"
#include "reports/cause_hash.h"
#include "reports/wait_times.h"

namespace kutrace::reports {

namespace {

void join(BlameRow& row, const BlameRow& more) {
  row.waits += more.waits;
  add_time(row.total, more.total);
  row.longest = std::max(row.longest, more.longest);
}

}  // namespace

std::size_t BlameSink::Hash::operator()(const Key& key) const {
  const auto& [letter, waiter, cause] = key;
  const std::uint64_t who = std::uint64_t{waiter} << 8 | static_cast<unsigned char>(letter);
  const std::uint64_t mixed = (CauseHash{}(cause) ^ who) * 0x9e37'79b9'7f4a'7c15ull;
  return static_cast<std::size_t>(mixed ^ mixed >> 29);
}

BlameSink::BlameSink(std::vector<TimeWindow> windows, const NameTable& texts, Wanted wanted,
                     std::size_t most_wakers, std::size_t batch, Ns at_least)
    : windows_(std::move(windows)),
      texts_(texts),
      wanted_(std::move(wanted)),
      most_wakers_(most_wakers),
      batch_(batch),
      at_least_(at_least),
      next_(batch) {}

void BlameSink::begin(const TraceInfo& known) {
  std::vector<NameId> last_names;
  follows_ = again_;
  if (follows_) last_names = happenings_->names();
  happenings_.emplace(windows_, texts_);
  happenings_->begin(known);
  happenings_->know_names(std::move(last_names));
  names_.emplace(*happenings_);
  ready_.emplace(*happenings_, *names_);
  again_ = false;
  next_ = batch_;
  open_.clear();
  came_ = 0;
  newest_ = 0;
  planned_ = 0;
  kept_ = late_;
  forgotten_ = -kForever;
  places_ = {};
  sums_.clear();
  waits_ = 0;
  total_ = 0;
}

BlameSink::Needed BlameSink::needed(const Piece& wait) {
  return {wait.letter == kReady ? wait.begin : wait.end - CriticalPath::kLooksBack, wait.end};
}

void BlameSink::push(const Span& span) {
  const std::size_t before = happenings_->pieces().size();
  happenings_->push(span);
  const std::vector<Piece>& pieces = happenings_->pieces();
  came_ += pieces.size() - before;
  if (pieces.size() > before && pieces.back().cpu != kNoCpu) ready_->did(pieces.back());
  newest_ = std::max(newest_, span.start);
  if (span.kind == SpanKind::kWait && span.duration > 0) {
    const Piece wait{.begin = span.start,
                     .end = span.start + span.duration,
                     .row = happenings_->row_of(span.pid, span.thread),
                     .kind = span.kind,
                     .letter = wait_letter(span.event)};
    if (overlaps(windows_, wait.begin, wait.end) && wanted_(wait, *happenings_)) ask(wait);
  }
  const bool is_told_at_once = most_wakers_ == 0 && !happenings_->has_machines();
  if (is_told_at_once && is_time_to_forget()) {
    happenings_->arrange();
    tell([this](const Piece& wait) { return can_tell(wait); });
    forget();
    next_ = pieces.size() + std::max(batch_, pieces.size() / 2);
  }
}

void BlameSink::ask(const Piece& wait) {
  open_.push_back(wait);
  if (const auto place = kept_.find(needed(wait)); place != kept_.end()) {
    kept_.erase(place);
  } else if (needed(wait).first < forgotten_) {
    late_.insert(needed(wait));
    again_ = true;
  }
}

// Later looks forget no more than the first one, so that no other wait comes late.
bool BlameSink::is_time_to_forget() {
  if (happenings_->pieces().size() < next_) return false;
  if (!follows_) return true;
  while (planned_ < plan_.size() && plan_[planned_].came < came_) ++planned_;
  return planned_ < plan_.size() && plan_[planned_].came == came_;
}

void BlameSink::end(TraceInfo& info) {
  happenings_->end(info);
  tell([](const Piece&) { return true; });
  again_ = again_ || !names_->are_last();
}

// Whether all has come that it depends on.
bool BlameSink::can_tell(const Piece& wait) const {
  const Piece* piece = happenings_->of_thread(wait.row, wait.end);
  if (piece == nullptr || piece->begin != wait.begin) return false;
  const Piece* after = happenings_->after_in_thread(*piece);
  if (wait.letter == kReady) {
    if (after == nullptr) return false;
    const CpuId left = cpus_of_wait(*happenings_, *piece).left;
    return left == kNoCpu || happenings_->reached(left) >= wait.end;
  }
  // Who woke it is told when it runs.
  while (after != nullptr && after->kind == SpanKind::kWait) {
    after = happenings_->after_in_thread(*after);
  }
  if (after == nullptr || newest_ <= wait.end) return false;
  const Wakeup* wakeup = happenings_->wakeup(wait.row, wait.end);
  return wakeup == nullptr || happenings_->reached(wakeup->cpu) > wakeup->time;
}

void BlameSink::tell(const std::function<bool(const Piece&)>& can) {
  ready_->arrange();
  CriticalPath path(*happenings_, most_wakers_);
  std::erase_if(open_, [&](const Piece& wait) {
    if (!can(wait)) return false;
    add(wait, path);
    return true;
  });
  take(kNoRow);
}

void BlameSink::take(ThreadRow waiter) {
  ready_->take_sums([&](const ReadyTimes::Sum& sum) { put(kReady, waiter, sum); });
}

ThreadRow BlameSink::waiter_of(const Piece& wait) {
  if (waiters_told_ == Waiters::kEach) return wait.row;
  return waiters_told_ == Waiters::kByName ? names_->first_of_name(wait.row) : kNoRow;
}

void BlameSink::forget() {
  if (!follows_) {
    const std::vector<Piece>& pieces = happenings_->pieces();
    const Ns few = pieces[pieces.size() - std::min(pieces.size(), batch_ / 4 + 1)].end;
    plan_.push_back({came_, std::min(few, newest_ - at_least_)});
    planned_ = plan_.size() - 1;
  }
  std::vector<TimeWindow> windows;
  const auto keep = [&windows](const Needed& of) { windows.push_back({of.first, of.second + 1}); };
  for (const Piece& wait : open_) keep(needed(wait));
  for (const Needed& of : kept_) keep(of);
  windows = tidy_windows(std::move(windows), -kForever, kForever);
  forgotten_ = std::max(forgotten_, plan_[planned_].time);
  happenings_->forget(forgotten_, windows);
  ready_->forget(forgotten_, windows);
}

void BlameSink::add(const Piece& wait, CriticalPath& path) {
  each_part(windows_, wait.begin, wait.end, [&](Ns from, Ns to) {
    ++waits_;
    add_time(total_, to - from);
    const Piece* piece = happenings_->of_thread(wait.row, to);
    const bool is_alone = piece != nullptr && piece->begin == wait.begin && piece->end == wait.end;
    if (is_alone && wait.letter == kReady) {
      ready_->add(*piece, from, to);
      if (waiters_told_ != Waiters::kTogether) take(waiter_of(wait));
    } else {
      walk(wait, from, to, path);
    }
  });
}

// Of each cause of a wait, the wait counts once.
void BlameSink::walk(const Piece& wait, Ns from, Ns to, CriticalPath& path) {
  std::map<Cause, Ns> parts;
  const Interval interval{.begin = from,
                          .end = to,
                          .pid = happenings_->pid_of(wait.row),
                          .thread = happenings_->thread_of(wait.row)};
  path.walk(interval, [&](const PathPiece& part) {
    parts[names_->general(part.cause, wait.row)] += part.duration();
  });
  for (const auto& [cause, time] : parts) put(wait.letter, waiter_of(wait), {cause, 1, time, time});
}

void BlameSink::put(char letter, ThreadRow waiter, const ReadyTimes::Sum& sum) {
  const auto [place, added] = places_.find_or_add({letter, waiter, sum.cause});
  if (added) sums_.push_back({.letter = letter, .waiter = waiter, .cause = sum.cause});
  join(sums_[place], {letter, waiter, sum.cause, sum.waits, sum.total, sum.longest});
}

Blame joined(const Blame& blame, const std::function<std::string(ThreadRow)>& name) {
  std::map<std::tuple<std::string, char, Cause>, std::size_t> places;
  Blame out{.waits = blame.waits, .total = blame.total, .rows = {}};
  for (const BlameRow& row : blame.rows) {
    const auto [place, is_new] =
        places.try_emplace({name(row.waiter), row.letter, row.cause}, out.rows.size());
    if (is_new) {
      out.rows.push_back(row);
    } else {
      join(out.rows[place->second], row);
    }
  }
  std::ranges::stable_sort(out.rows, std::ranges::greater{}, &BlameRow::total);
  return out;
}

Blame BlameSink::blame() const {
  Blame blame{.waits = waits_, .total = total_, .rows = sums_};
  Ns told = 0;
  for (const BlameRow& row : sums_) add_time(told, row.total);
  std::ranges::sort(blame.rows, [](const BlameRow& a, const BlameRow& b) {
    if (a.total != b.total) return a.total > b.total;
    return Key(a.letter, a.waiter, a.cause) < Key(b.letter, b.waiter, b.cause);
  });
  check(told == blame.total, "what waits went to adds up to them");
  return blame;
}

}  // namespace kutrace::reports
