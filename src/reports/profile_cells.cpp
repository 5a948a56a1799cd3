// SPDX-License-Identifier: BSD-3-Clause
// Finding cells, and adding to them.
#include "reports/profile_cells.h"

#include <algorithm>
#include <span>

#include "base/add_time.h"
#include "base/prefetch.h"
#include "format/ipc_scale.h"

namespace kutrace::reports {

namespace {

// IPC from the two high bits of a nibble whose low ones tell of cache misses.
constexpr std::size_t ipc_of_both(std::uint8_t nibble) { return (nibble & 12u) + 1; }

constexpr std::size_t kLastShortBucket = 255;  // 17 s; longer ones do not wait in a cell

}  // namespace

double ProfileSums::ipc(bool both) const {
  const double least = both ? kIpcMiddles[ipc_of_both(0)] : kIpcMiddles[0];
  const double more = both ? both_ipc_time : ipc_time;
  const auto time = static_cast<double>(total);
  return (more + least * time) / 16 / time;
}

void ProfileCells::add(const Rows& rows, const Span& span) {
  const std::uint32_t arg = span.kind == SpanKind::kFrequency ? span.low_arg() : 0;
  Waiting& more = enter(rows, span.name, span.kind, arg);
  more.rows_of_call = 0;
  more.is_piece = true;
  more.ipc = span.ipc;
  more.event = span.event;
  more.piece = span.duration;
}

void ProfileCells::add(const Rows& rows, const Call& call) {
  Waiting& more = enter(rows, call.name, call.kind, 0);
  more.is_piece = false;
  more.event = call.event;
  add_to_piece(rows.all().size(), call);
}

void ProfileCells::add_to_piece(std::size_t rows, const Call& call) {
  Waiting& last = waiting(entered_ - 1);
  last.rows_of_call = static_cast<std::uint8_t>(rows);
  last.lasted = call.duration();
  last.on_cpu = call.on_cpu;
  last.blocked = call.blocked;
}

// One more, which the caller completes in its place: what is written and copied at once is waited
// for. Of what came before, one is found, of another it is seen what else it will touch, and one is
// added, in the order in which they came.
ProfileCells::Waiting& ProfileCells::enter(const Rows& rows, NameId name, SpanKind kind,
                                           std::uint32_t arg) {
  if (entered_ - put_ == kQueue) put(waiting(put_++));
  if (entered_ >= 2 * kStep) {
    find(waiting(entered_ - kStep));
    fetch_rest(waiting(entered_ - 2 * kStep));
  }
  Waiting& more = waiting(entered_++);
  more.rows = 0;
  more.kind = kind;
  more.name = name;
  more.arg = arg;
  for (const std::uint32_t row : rows.all()) {
    Place& place = more.places[more.rows++];
    place.row = row;
    place.hash = hash(row, name, arg, kind);
    place.cell = kFree;
    prefetch(&slots_[place.hash & (slots_.size() - 1)]);
  }
  return more;
}

void ProfileCells::finish() {
  while (put_ != entered_) put(waiting(put_++));
  add_all_durations();
}

void ProfileCells::add_all_durations() {
  for (std::size_t i = 0; i < kLeaving; ++i, ++left_) add_durations();
}

// Most probably that cell: whether it is, is looked at when it is here.
void ProfileCells::find(Waiting& of) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t row = 0; row < of.rows; ++row) {
    Place& place = of.places[row];
    std::size_t at = place.hash & mask;
    while (slots_[at].cell != kFree && slots_[at].tag != tag(place.hash)) at = (at + 1) & mask;
    place.cell = slots_[at].cell;
    if (place.cell != kFree) prefetch(&cells_[place.cell]);
  }
}

void ProfileCells::fetch_rest(const Waiting& of) const {
  for (std::size_t row = 0; row < of.rows; ++row) {
    const std::uint32_t cell = of.places[row].cell;
    if (cell == kFree || cells_[cell].waiting + 1U < Cell::kMostWaiting) continue;
    prefetch(&rests_[cell]);
  }
}

void ProfileCells::put(const Waiting& of) {
  for (std::size_t row = 0; row < of.rows; ++row) {
    const Place& place = of.places[row];
    const bool is_it = place.cell != kFree && is(place.cell, of, place);
    const std::uint32_t number = is_it ? place.cell : other_cell(of, place);
    Cell& cell = cells_[number];
    const bool is_of_call = row < of.rows_of_call;
    if (is_of_call && !cell.has_calls) [[unlikely]]
      begin_calls(number, cell);
    if (of.is_piece) put_piece(number, cell, of);
    if (is_of_call) put_call(number, cell, of);
  }
}

// Their durations take the place of those of pieces.
void ProfileCells::begin_calls(std::uint32_t number, Cell& cell) {
  add_all_durations();
  rests_[number].durations = {};
  cell.longest = 0;
  cell.waiting = 0;
  cell.has_calls = true;
}

void ProfileCells::put_piece(std::uint32_t number, Cell& cell, const Waiting& of) {
  add_time(cell.total, of.piece);
  if (++cell.pieces == 0) [[unlikely]]
    ++rests_[number].pieces;
  if (!cell.has_calls) lasts(number, cell, of.piece);
  if (of.ipc == 0) return;
  const auto time = static_cast<double>(of.piece);
  Rest& rest = rests_[number];
  rest.ipc_time += (kIpcMiddles[of.ipc & 15u] - kIpcMiddles[0]) * time;
  rest.both_ipc_time += (kIpcMiddles[ipc_of_both(of.ipc)] - kIpcMiddles[ipc_of_both(0)]) * time;
}

void ProfileCells::put_call(std::uint32_t number, Cell& cell, const Waiting& of) {
  lasts(number, cell, of.lasted);
  add_time(cell.lasted, of.lasted);
  add_time(cell.calls_on_cpu, of.on_cpu);
  add_time(cell.calls_blocked, of.blocked);
}

void ProfileCells::lasts(std::uint32_t number, Cell& cell, Ns duration) {
  const std::size_t bucket = duration_bucket(duration);
  if (bucket > kLastShortBucket) [[unlikely]]
    return rests_[number].durations.add(duration);
  cell.longest = std::max(cell.longest, duration);
  cell.buckets[cell.waiting++] = static_cast<std::uint8_t>(bucket);
  if (cell.waiting < Cell::kMostWaiting) return;
  cell.waiting = 0;
  rests_[number].durations.fetch(cell.buckets);
  add_durations();
  leaving_[left_++ % kLeaving] = {number, cell.buckets, cell.longest};
}

// The dozen that left longest ago; by now their places are here.
void ProfileCells::add_durations() {
  Dozen& dozen = leaving_[left_ % kLeaving];
  if (dozen.cell != kFree) rests_[dozen.cell].durations.add(dozen.buckets, dozen.longest);
  dozen.cell = kFree;
}

std::uint64_t ProfileCells::hash(std::uint32_t row, NameId name, std::uint32_t arg, SpanKind kind) {
  const std::uint64_t what = std::uint64_t{name} << 8 | static_cast<unsigned>(kind);
  const std::uint64_t where = std::uint64_t{row} << 32 | arg;
  const std::uint64_t mixed = (what ^ where * 0xc2b2'ae3d'27d4'eb4full) * 0x9e37'79b9'7f4a'7c15ull;
  return mixed ^ mixed >> 29;
}

bool ProfileCells::is(std::uint32_t number, const Waiting& of, const Place& place) const {
  const Cell& cell = cells_[number];
  const bool is_it = cell.row == place.row && cell.name == of.name && cell.kind == of.kind;
  return is_it && (of.kind != SpanKind::kFrequency || rests_[number].arg == of.arg);
}

std::uint32_t ProfileCells::other_cell(const Waiting& of, const Place& place) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = place.hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.cell == kFree) return add_cell(of, place, at);
    if (slot.tag == tag(place.hash) && is(slot.cell, of, place)) return slot.cell;
  }
}

std::uint32_t ProfileCells::add_cell(const Waiting& of, const Place& place, std::size_t slot) {
  const auto cell = static_cast<std::uint32_t>(cells_.size());
  slots_[slot] = {cell, tag(place.hash)};
  Cell& sums = cells_.add();
  sums.row = place.row;
  sums.name = of.name;
  sums.kind = of.kind;
  Rest& rest = rests_.add();
  rest.arg = of.arg;
  rest.event = of.event;
  if (cells_.size() > slots_.size() / 2) grow();
  return cell;
}

void ProfileCells::grow() {
  slots_.assign(slots_.size() * 2, Slot{});
  for (std::uint32_t cell = 0; cell < cells_.size(); ++cell) {
    const Cell& sums = cells_[cell];
    const std::uint64_t hashed = hash(sums.row, sums.name, rests_[cell].arg, sums.kind);
    std::size_t at = hashed & (slots_.size() - 1);
    while (slots_[at].cell != kFree) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {cell, tag(hashed)};
  }
}

std::vector<std::vector<std::uint32_t>> ProfileCells::by_row(std::size_t rows) const {
  std::vector<std::vector<std::uint32_t>> cells(rows);
  for (std::uint32_t cell = 0; cell < cells_.size(); ++cell)
    cells[cells_[cell].row].push_back(cell);
  return cells;
}

ProfileSums ProfileCells::sums(std::uint32_t cell) const {
  const Cell& of = cells_[cell];
  const Rest& rest = rests_[cell];
  ProfileSums sums{
      .name = of.name,
      .arg = rest.arg,
      .event = rest.event,
      .kind = of.kind,
      .has_calls = of.has_calls,
      .durations = rest.durations,
      .total = of.total,
      .pieces = rest.pieces * kPiecesOfCell + of.pieces,
      .lasted = of.lasted,
      .calls_on_cpu = of.calls_on_cpu,
      .calls_blocked = of.calls_blocked,
      .ipc_time = rest.ipc_time,
      .both_ipc_time = rest.both_ipc_time,
  };
  sums.durations.add(std::span(of.buckets).first(of.waiting), of.longest);
  return sums;
}

}  // namespace kutrace::reports
