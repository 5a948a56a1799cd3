// SPDX-License-Identifier: BSD-3-Clause
// Stretches of CPUs, and sums over them.
#include "reports/ready_times.h"

#include <algorithm>
#include <utility>

#include "base/add_time.h"
#include "reports/wait_sweep.h"

namespace kutrace::reports {

Cause ready_cause(const Piece& had, ThreadRow waiting) {
  Cause cause{.kind = CauseKind::kReady, .thread = waiting, .other = had.row, .cpu = had.cpu};
  if (is_interrupt(had.kind)) {
    cause.kind = CauseKind::kReadyInterrupt;
    cause.name = had.name;
    cause.other = kNoRow;
  } else if (had.kind == SpanKind::kCExit) {
    cause.kind = CauseKind::kIdleExit;
  } else if (is_idle(had.kind) || (had.kind == SpanKind::kScheduler && had.row == kNoRow)) {
    cause.kind = CauseKind::kWakeup;
  } else if (had.row == kNoRow || had.row == waiting) {
    cause = {.kind = CauseKind::kUnknown,
             .thread = waiting,
             .cpu = had.kind == SpanKind::kLoss ? had.cpu : kNoCpu};
  }
  return cause;
}

bool keeps_others(const Piece& had) {
  return is_interrupt(had.kind) || (!is_idle(had.kind) && had.row != kNoRow);
}

CpusOfWait cpus_of_wait(const Happenings& happenings, const Piece& wait) {
  const Piece* before = happenings.before_in_thread(wait);
  const Piece* after = happenings.after_in_thread(wait);
  const CpuId next = after != nullptr && after->begin == wait.end ? after->cpu : kNoCpu;
  return {before != nullptr && before->end == wait.begin ? before->cpu : next, next};
}

namespace {

// A thread did, for itself.
bool is_run(const Piece& piece) {
  return piece.row != kNoRow && !is_interrupt(piece.kind) && piece.kind != SpanKind::kCExit;
}

}  // namespace

// Which stretch is the one of a time; times only grow.
class ReadyTimes::Cursor {
 public:
  Cursor(const OfCpu* cpu, Ns time) {
    if (cpu == nullptr) return;
    const std::vector<Stretch>& stretches = cpu->stretches;
    const std::size_t begun = begun_by(stretches, time);
    next_ = stretches.data() + begun;
    end_ = stretches.data() + stretches.size();
    last_ = cpu->end;
    if (begun != 0) now_ = next_[-1];
  }

  const Stretch& at(Ns time) {
    while (next_ != end_ && next_->begin <= time) now_ = *next_++;
    if (next_ == end_ && time >= last_) now_ = {};
    return now_;
  }
  // Where the stretch of that time, which is the last that was asked for, ends.
  Ns until(Ns time) const {
    if (next_ != end_) return next_->begin;
    return time < last_ ? last_ : kForever;
  }

 private:
  Stretch now_;
  const Stretch* next_ = nullptr;
  const Stretch* end_ = nullptr;
  Ns last_ = 0;
};

ReadyTimes::ReadyTimes(const Happenings& happenings, NameRows& names)
    : happenings_(happenings), names_(names), causes_(1), keeps_(1) {
  classes_.emplace(causes_[kNotTold], kNotTold);
}

ReadyTimes::OfCpu& ReadyTimes::of_cpu(CpuId cpu) {
  if (cpu >= cpus_.size()) cpus_.resize(cpu + std::size_t{1});
  return cpus_[cpu];
}

void ReadyTimes::did(const Piece& piece) {
  OfCpu& cpu = of_cpu(piece.cpu);
  const auto extend = [&cpu](const Stretch& stretch) {
    const bool goes_on = !cpu.stretches.empty() && cpu.stretches.back().cause == stretch.cause &&
                         cpu.stretches.back().row == stretch.row;
    if (!goes_on) cpu.stretches.push_back(stretch);
  };
  if (piece.begin > cpu.end) extend({cpu.end, kNotTold, kNoRow});
  extend({piece.begin, class_of(piece), is_run(piece) ? piece.row : kNoRow});
  cpu.end = piece.end;
}

ReadyTimes::Class ReadyTimes::add_class(const Piece& piece) {
  Cause cause = ready_cause(piece, kNoRow);
  cause.cpu = kNoCpu;
  const auto [place, added] = classes_.try_emplace(cause, static_cast<Class>(causes_.size()));
  if (added) {
    causes_.push_back(cause);
    keeps_.push_back(keeps_others(piece) ? 1 : 0);
  }
  return place->second;
}

ReadyTimes::Class ReadyTimes::class_of(const Piece& piece) {
  const bool is_known = is_run(piece) || is_interrupt(piece.kind);
  if (!is_known) return add_class(piece);
  std::vector<Class>& known = is_run(piece) ? of_rows_ : of_names_;
  const std::size_t key = is_run(piece) ? piece.row : static_cast<std::size_t>(piece.name);
  if (key >= known.size()) known.resize(key + 1, kNotTold);
  if (known[key] == kNotTold) known[key] = add_class(piece);
  return known[key];
}

void ReadyTimes::arrange() {
  std::map<Cause, std::uint32_t> places;
  places_.clear();
  sums_.clear();
  for (const Cause& cause : causes_) {
    const Cause general = names_.general(cause, kNoRow);
    const auto [place, added] =
        places.try_emplace(general, static_cast<std::uint32_t>(sums_.size()));
    if (added) sums_.push_back({.cause = general});
    places_.push_back(place->second);
  }
  times_.assign(sums_.size(), 0);
  for (OfCpu& cpu : cpus_) {
    cpu.free.assign(1, 0);
    cpu.free.reserve(cpu.stretches.size() + 1);
    for (const Stretch& stretch : cpu.stretches)
      cpu.free.push_back(cpu.free.back() + (keeps_[stretch.cause] == 0 ? 1 : 0));
  }
}

void ReadyTimes::take_sums(const std::function<void(const Sum&)>& sink) {
  for (const CpuId cpu : std::exchange(with_put_off_, {})) sum_up(cpus_[cpu]);
  for (const std::uint32_t place : used_) {
    sink(sums_[place]);
    sums_[place] = {.cause = sums_[place].cause};
  }
  used_.clear();
}

// What is let go between stretches that stay is not told.
void ReadyTimes::forget(Ns time, const std::vector<TimeWindow>& except) {
  for (OfCpu& of : cpus_) {
    std::vector<Stretch>& all = of.stretches;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Ns end = i + 1 < all.size() ? all[i + 1].begin : of.end;
      const bool stays = end >= time || touches(except, all[i].begin, end);
      const bool has_gap = kept != 0 && all[kept - 1].cause == kNotTold;
      if (!stays && has_gap) continue;
      const Stretch stretch = stays ? all[i] : Stretch{.begin = all[i].begin};
      all[kept++] = stretch;
    }
    all.resize(kept);
  }
}

const ReadyTimes::OfCpu* ReadyTimes::known_cpu(CpuId cpu) const {
  return cpu < cpus_.size() ? &cpus_[cpu] : nullptr;
}

void ReadyTimes::count(const Stretch& stretch, ThreadRow waiting, Ns time) {
  const std::uint32_t sum = places_[stretch.row == waiting ? kNotTold : stretch.cause];
  if (times_[sum] == 0) touched_.push_back(sum);
  times_[sum] += time;
}

void ReadyTimes::put(std::uint32_t place, std::uint64_t waits, Ns total, Ns longest) {
  Sum& sum = sums_[place];
  if (sum.waits == 0) used_.push_back(place);
  sum.waits += waits;
  add_time(sum.total, total);
  sum.longest = std::max(sum.longest, longest);
}

std::size_t ReadyTimes::begun_by(const std::vector<Stretch>& stretches, Ns time) {
  const auto behind = std::ranges::upper_bound(stretches, time, {}, &Stretch::begin);
  return static_cast<std::size_t>(behind - stretches.begin());
}

TimeWindow ReadyTimes::hull(const std::vector<PutOff>& put_off) {
  TimeWindow all = put_off.front().wait;
  for (const auto& [wait, row] : put_off)
    all = {std::min(all.begin, wait.begin), std::max(all.end, wait.end)};
  return all;
}

bool ReadyTimes::keeps_throughout(const OfCpu& cpu, Ns from, Ns to) const {
  const std::size_t begun = begun_by(cpu.stretches, from);
  if (begun == 0 || to > cpu.end) return false;
  return cpu.free[begun - 1] == cpu.free[begun_by(cpu.stretches, to)];
}

bool ReadyTimes::spans_many(const OfCpu& cpu, Ns from, Ns to) const {
  if (cpu.stretches.size() <= kMany) return false;
  const std::size_t place = begun_by(cpu.stretches, from) + kMany;
  return place < cpu.stretches.size() && cpu.stretches[place].begin < to;
}

// As a damaged trace may say.
bool ReadyTimes::runs_in(const Piece& wait) const {
  const Piece* before = happenings_.before_in_thread(wait);
  const Piece* after = happenings_.after_in_thread(wait);
  return (before != nullptr && before->end > wait.begin) ||
         (after != nullptr && after->begin < wait.end);
}

void ReadyTimes::add(const Piece& wait, Ns from, Ns to) {
  const auto [left, next] = cpus_of_wait(happenings_, wait);
  const OfCpu* left_cpu = left == next ? nullptr : known_cpu(left);
  const OfCpu* next_cpu = known_cpu(next);
  const bool left_alone = left_cpu != nullptr && keeps_throughout(*left_cpu, from, to);
  if (left_cpu == nullptr || left_alone) {
    const CpuId cpu = left_alone ? left : next;
    if (known_cpu(cpu) != nullptr && spans_many(cpus_[cpu], from, to) && !runs_in(wait)) {
      if (cpus_[cpu].put_off.empty()) with_put_off_.push_back(cpu);
      cpus_[cpu].put_off.push_back({{from, to}, wait.row});
      return;
    }
  }
  walk(left_cpu, next_cpu, {{from, to}, wait.row});
}

void ReadyTimes::walk(const OfCpu* left, const OfCpu* next, const PutOff& of) {
  const auto& [wait, waiting] = of;
  Cursor ran(next, wait.begin);
  Cursor had(left, wait.begin);
  for (Ns at = wait.begin; at < wait.end;) {
    const Stretch* stretch = nullptr;
    Ns until = wait.end;
    if (left != nullptr) {
      stretch = &had.at(at);
      until = std::min(until, had.until(at));
    }
    if (stretch == nullptr || keeps_[stretch->cause] == 0) {
      stretch = &ran.at(at);
      until = std::min(until, ran.until(at));
    }
    count(*stretch, waiting, until - at);
    at = until;
  }
  for (const std::uint32_t place : touched_) {
    const Ns time = std::exchange(times_[place], 0);
    put(place, 1, time, time);
  }
  touched_.clear();
}

void ReadyTimes::sum_up(OfCpu& cpu) {
  const std::vector<PutOff> put_off = std::exchange(cpu.put_off, {});
  const auto spanned = [&cpu](const TimeWindow& time) {
    return begun_by(cpu.stretches, time.end) - begun_by(cpu.stretches, time.begin) + 1;
  };
  std::size_t steps = 0;
  for (const auto& [wait, row] : put_off) steps += spanned(wait);
  const TimeWindow all = hull(put_off);
  const bool pays = steps / kSweepStep > spanned(all) + put_off.size();
  if (pays && std::ranges::is_sorted(cpu.stretches, {}, &Stretch::begin)) {
    sweep(cpu, put_off, all);
  } else {
    for (const PutOff& of : put_off) walk(nullptr, &cpu, of);
  }
}

void ReadyTimes::sweep(const OfCpu& cpu, const std::vector<PutOff>& put_off,
                       const TimeWindow& all) {
  std::vector<WaitSweep::Stretch> did;
  const auto go_on = [&](Ns begin, std::uint32_t what) {
    const Ns from = std::max(begin, all.begin);
    if (from >= all.end) return;
    if (!did.empty() && did.back().begin == from) did.pop_back();
    did.push_back({from, what});
  };
  go_on(all.begin, places_[kNotTold]);  // unless a stretch tells
  for (std::size_t i = std::max<std::size_t>(begun_by(cpu.stretches, all.begin), 1) - 1;
       i < cpu.stretches.size(); ++i)
    go_on(cpu.stretches[i].begin, places_[cpu.stretches[i].cause]);
  go_on(cpu.end, places_[kNotTold]);
  std::vector<TimeWindow> waits;
  waits.reserve(put_off.size());
  for (const PutOff& of : put_off) waits.push_back(of.wait);
  WaitSweep sweep(did, all.end, static_cast<std::uint32_t>(sums_.size()));
  const std::vector<WaitSweep::Sum> sums = sweep.sums(std::move(waits));
  for (std::uint32_t place = 0; place < sums.size(); ++place) {
    const WaitSweep::Sum& sum = sums[place];
    if (sum.waits != 0) put(place, sum.waits, sum.total, sum.longest);
  }
}

}  // namespace kutrace::reports
