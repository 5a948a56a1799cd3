// SPDX-License-Identifier: BSD-3-Clause
// Keeping and finding pieces.
#include "reports/happenings.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <tuple>

#include "base/check.h"
#include "format/event_table.h"
#include "format/machine_fact.h"
#include "model/native_call.h"
#include "reports/wait_times.h"

namespace kutrace::reports {

namespace {

constexpr std::size_t kMostPieces = 0xffff'ffff;

bool is_earlier(const Wakeup& a, const Wakeup& b) {
  return std::tuple(a.woken, a.time) < std::tuple(b.woken, b.time);
}

const auto cpu_and_time = [](const Packet& packet) { return std::tuple(packet.cpu, packet.time); };
const auto hash_and_time = [](const Packet& packet) {
  return std::tuple(packet.hash, packet.time);
};

const auto row_and_begin = [](const auto& call) { return std::tuple(call.row, call.begin); };

// Numbers of softirqs as the kernel has them: timer, block, irq_poll, sched, hrtimer, rcu. The
// others do what a thread's call raised: its packets, its tasklets.
bool ends_requests(std::uint64_t softirq) {
  constexpr std::uint64_t kOnes = 1U << 1 | 1U << 4 | 1U << 5 | 1U << 7 | 1U << 8 | 1U << 9;
  return softirq < 10 && (kOnes >> softirq & 1) != 0;
}

// The kernel names them "ksoftirqd/" and the number of their CPU.
constexpr std::string_view kSoftirqThread = "ksoftirqd/";

}  // namespace

// The first that ends at `time` or later.
std::size_t Happenings::window_behind(Ns time) const {
  const auto is_over = [&](std::size_t at) { return windows_[at].end < time; };
  const auto is_it = [&](std::size_t at) {
    return (at == 0 || is_over(at - 1)) && (at == windows_.size() || !is_over(at));
  };
  for (std::size_t at = near_; at <= std::min(near_ + 1, windows_.size()); ++at) {
    if (is_it(at)) return near_ = at;
  }
  const std::size_t at = first_window_after(windows_, time - 1);
  near_ = std::max(near_, at);
  return at;
}

bool Happenings::matters(Ns begin, Ns end) const {
  const std::size_t at = window_behind(begin);
  return at < windows_.size() && windows_[at].begin <= end;
}

// A futex looks the same, whatever it is for.
bool Happenings::is_of_lock(char letter, NameId call) const {
  constexpr std::array<std::string_view, 4> kForLocksAlone = {"fcntl", "flock", "semop",
                                                              "semtimedop"};
  return letter == 'l' && call != kNoName &&
         std::ranges::find(kForLocksAlone, native_call(texts_.text(call))) != kForLocksAlone.end();
}

void Happenings::keep(const Span& span, ThreadRow row, NameId name) {
  if (span.duration <= 0 || !matters(span.start, span.start + span.duration)) return;
  check(pieces_.size() < kMostPieces, "what happened can be numbered");
  const auto place = static_cast<std::uint32_t>(pieces_.size());
  const bool is_wait = span.kind == SpanKind::kWait;
  pieces_.push_back({.begin = span.start,
                     .end = span.start + span.duration,
                     .name = name,
                     .cpu = is_wait ? kNoCpu : span.cpu,
                     .row = row,
                     .kind = span.kind,
                     .letter = is_wait ? wait_letter(span.event) : '\0',
                     .of_lock = is_wait && is_of_lock(wait_letter(span.event), name),
                     .ends_requests = span.kind == SpanKind::kSoftirq && ends_requests(span.arg),
                     .runs_softirqs = span.kind == SpanKind::kKernelThread &&
                                      texts_.text(span.name).starts_with(kSoftirqThread)});
  if (!is_wait) {
    if (span.cpu >= cpus_.size()) cpus_.resize(span.cpu + std::size_t{1});
    append(cpus_[span.cpu], place);
  }
  if (row == kNoRow) return;
  if (row >= threads_.size()) threads_.resize(row + std::size_t{1});
  append(threads_[row], place);
}

void Happenings::append(Order& order, std::uint32_t place) {
  const Ns begin = pieces_[place].begin;
  order.is_in_order = order.is_in_order && begin >= order.last;
  order.last = begin;
  order.places.push_back(place);
}

ThreadRow Happenings::row_of(const Span& span) {
  const ThreadRow row = row_of(span.pid, span.thread);
  if (row < names_.size()) return row;
  names_.resize(row + std::size_t{1}, kNoName);
  calls_.resize(row + std::size_t{1}, kNoName);
  return row;
}

void Happenings::execution(const Span& span) {
  const bool is_thread_s = span.pid > 0 && span.kind != SpanKind::kLoss && !is_idle(span.kind);
  if (!is_thread_s) return keep(span, kNoRow, span.name);
  const ThreadRow row = row_of(span);
  if (is_user(span.kind)) {
    names_[row] = span.name;
    calls_[row] = kNoName;
  } else if (span.kind == SpanKind::kSyscall || span.kind == SpanKind::kTrap) {
    calls_[row] = span.name;
  }
  keep(span, row, span.name);
}

void Happenings::wait(const Span& span) {
  const ThreadRow row = row_of(span);
  keep(span, row, calls_[row]);
}

void Happenings::begin(const TraceInfo& known) {
  has_machines_ = machines_of(known.facts).size() > 1;
}

void Happenings::push(const Span& span) {
  if (is_execution(span.kind)) return execution(span);
  if (span.kind == SpanKind::kWait) return wait(span);
  moment(span);
}

void Happenings::moment(const Span& span) {
  const bool is_received = span.event == ev::kRX_PACKET;
  const bool is_packet = has_machines_ && span.kind == SpanKind::kPoint &&
                         (is_received || span.event == ev::kTX_PACKET);
  const bool is_wakeup = span.kind == SpanKind::kWakeupArc;
  if (!(is_packet || is_wakeup) || !matters(span.start, span.start)) return;
  if (is_wakeup) {
    wakeups_.push_back({row_of(span.other, ThreadId::kNone), span.cpu, span.start});
  } else {
    (is_received ? received_ : sent_).push_back({span.low_arg(), span.cpu, span.start});
  }
}

void Happenings::life(const ThreadLife& life) {
  const ThreadRow row = rows_.life(life);
  if (row >= names_.size()) names_.resize(row + std::size_t{1}, kNoName);
  if (rows_.lived(row) != kNoName) names_[row] = rows_.lived(row);
}

void Happenings::call(const Call& call) {
  const bool tells = call.details != nullptr && call.details->file != kNoName;
  if (!tells || call.blocked == 0 || !matters(call.begin, call.end)) return;
  files_.push_back(
      {row_of(call.pid, call.thread), call.details->file, call.name, call.begin, call.end});
}

NameId Happenings::file_of(const Piece& wait) const {
  const auto behind =
      std::ranges::upper_bound(files_, std::tuple(wait.row, wait.begin), {}, row_and_begin);
  if (behind == files_.begin()) return kNoName;
  const FileOf& in = *std::prev(behind);
  const bool lies_in = in.row == wait.row && in.end >= wait.end && in.call == wait.name;
  return lies_in ? in.file : kNoName;
}

void Happenings::end(TraceInfo& info) {
  end_ = info.end;
  std::ranges::sort(files_, {}, row_and_begin);
  names_.resize(rows_.size(), kNoName);
  for (ThreadRow row = 0; row < names_.size(); ++row) {
    if (names_[row] != kNoName || !rows_.is_last(row)) continue;
    const auto thread = info.threads.find(rows_.pid(row));
    if (thread != info.threads.end()) names_[row] = thread->second.name;
  }
  arrange();
}

void Happenings::arrange() {
  threads_.resize(rows_.size());
  for (Order& order : threads_) sort(order);
  for (Order& order : cpus_) sort(order);
  if (!std::ranges::is_sorted(wakeups_, is_earlier)) {
    std::ranges::stable_sort(wakeups_, is_earlier);
  }
  std::ranges::stable_sort(received_, {}, cpu_and_time);
  std::ranges::stable_sort(sent_, {}, hash_and_time);
}

void Happenings::forget(Ns time, const std::vector<TimeWindow>& except) {
  const auto is_over = [&](Ns begin, Ns end) { return end < time && !touches(except, begin, end); };
  constexpr std::uint32_t kGone = 0xffff'ffff;
  std::vector<std::uint32_t> moved(pieces_.size(), kGone);
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (is_over(pieces_[i].begin, pieces_[i].end)) continue;
    moved[i] = kept;
    pieces_[kept++] = pieces_[i];
  }
  pieces_.resize(kept);
  const auto move = [&moved](Order& order) {
    std::size_t left = 0;
    for (const std::uint32_t place : order.places) {
      if (moved[place] != kGone) order.places[left++] = moved[place];
    }
    order.places.resize(left);
  };
  for (Order& order : threads_) move(order);
  for (Order& order : cpus_) move(order);
  const auto is_past = [&](const auto& moment) { return is_over(moment.time, moment.time); };
  std::erase_if(wakeups_, is_past);
  std::erase_if(received_, is_past);
  std::erase_if(sent_, is_past);
}

void Happenings::sort(Order& order) const {
  if (order.is_in_order) return;
  std::ranges::stable_sort(order.places, {},
                           [this](std::uint32_t at) { return pieces_[at].begin; });
}

// How many begin before that time. Searched from where the last search ended, in steps that double.
std::size_t Happenings::before(const Order& order, Ns time) const {
  const std::vector<std::uint32_t>& places = order.places;
  const auto is_before = [&](std::size_t at) { return pieces_[places[at]].begin < time; };
  std::size_t low = std::min(order.near, places.size());
  std::size_t high = low;
  for (std::size_t step = 1; low > 0 && !is_before(low - 1); step *= 2) {
    high = low - 1;
    low -= std::min(step, low);
  }
  for (std::size_t step = 1; high < places.size() && is_before(high); step *= 2) {
    low = high + 1;
    high = std::min(places.size(), high + step);
  }
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  order.near = low;
  return low;
}

const Piece* Happenings::last_before(const Order& order, Ns time) const {
  const std::size_t count = before(order, time);
  return count == 0 ? nullptr : &pieces_[order.places[count - 1]];
}

const Piece* Happenings::of_thread(ThreadRow row, Ns time) const {
  return row < threads_.size() ? last_before(threads_[row], time) : nullptr;
}

const Piece* Happenings::of_cpu(CpuId cpu, Ns time) const {
  const Order* order = of_cpu(cpu);
  return order == nullptr ? nullptr : last_before(*order, time);
}

Ns Happenings::reached(CpuId cpu) const {
  const Order* order = of_cpu(cpu);
  const bool is_told = order != nullptr && !order->places.empty();
  return is_told ? pieces_[order->places.back()].end : 0;
}

CpuId Happenings::lost(Ns from, Ns to) const {
  for (CpuId cpu = 0; cpu < cpus_.size(); ++cpu) {
    for (const Ns time : {from + 1, to}) {
      const Piece* piece = last_before(cpus_[cpu], time);
      if (piece != nullptr && piece->kind == SpanKind::kLoss && piece->end > from) return cpu;
    }
  }
  return kNoCpu;
}

const Piece* Happenings::neighbour(const Order& order, const Piece& piece, int step) const {
  const auto number = static_cast<std::uint32_t>(&piece - pieces_.data());
  const std::vector<std::uint32_t>& places = order.places;
  std::size_t at = before(order, piece.begin);
  while (at < places.size() && places[at] != number) ++at;  // of pieces that begin at one time
  if (at == places.size() || (step < 0 && at == 0)) return nullptr;
  at = step < 0 ? at - 1 : at + 1;
  return at == places.size() ? nullptr : &pieces_[places[at]];
}

const Piece* Happenings::after_in_thread(const Piece& piece) const {
  return neighbour(threads_[piece.row], piece, 1);
}

const Piece* Happenings::before_in_thread(const Piece& piece) const {
  return neighbour(threads_[piece.row], piece, -1);
}

const Piece* Happenings::before_on_cpu(const Piece& piece) const {
  const Order* order = of_cpu(piece.cpu);
  return order == nullptr ? nullptr : neighbour(*order, piece, -1);
}

std::span<const Packet> Happenings::received(CpuId cpu, Ns from, Ns to) const {
  const auto first = std::ranges::lower_bound(received_, std::tuple(cpu, from), {}, cpu_and_time);
  const auto last =
      std::ranges::upper_bound(first, received_.end(), std::tuple(cpu, to), {}, cpu_and_time);
  return {first, last};
}

std::span<const Packet> Happenings::sent(std::uint32_t hash, Ns from, Ns to) const {
  const auto first = std::ranges::upper_bound(sent_, std::tuple(hash, from), {}, hash_and_time);
  const auto last =
      std::ranges::lower_bound(first, sent_.end(), std::tuple(hash, to), {}, hash_and_time);
  return {first, last};
}

const Wakeup* Happenings::wakeup(ThreadRow row, Ns time) const {
  const Wakeup wanted{row, kNoCpu, time};
  const auto found = std::ranges::lower_bound(wakeups_, wanted, is_earlier);
  if (found == wakeups_.end() || found->woken != row || found->time != time) return nullptr;
  return &*found;
}

}  // namespace kutrace::reports
