// SPDX-License-Identifier: BSD-3-Clause
// Finding cells, and adding to them.
#include "reports/profile_cells.h"

#include "base/add_time.h"
#include "base/prefetch.h"
#include "format/ipc_scale.h"

namespace kutrace::reports {

namespace {

// IPC from the two high bits of a nibble whose low ones tell of cache misses.
constexpr std::size_t ipc_of_both(std::uint8_t nibble) { return (nibble & 12u) + 1; }

}  // namespace

double ProfileSums::ipc(bool both) const {
  const double least = both ? kIpcMiddles[ipc_of_both(0)] : kIpcMiddles[0];
  const double more = both ? both_ipc_time : ipc_time;
  const auto time = static_cast<double>(total);
  return (more + least * time) / 16 / time;
}

void ProfileCells::add(std::uint32_t row, const Span& span) {
  const std::uint32_t arg = span.kind == SpanKind::kFrequency ? span.low_arg() : 0;
  enter({.key = {row, span.name, arg, span.kind},
         .event = span.event,
         .duration = span.duration,
         .ipc = span.ipc});
}

void ProfileCells::add(std::uint32_t row, const Call& call) {
  enter({.key = {row, call.name, 0, call.kind},
         .event = call.event,
         .duration = call.duration(),
         .on_cpu = call.on_cpu,
         .blocked = call.blocked,
         .is_call = true});
}

// Of what came before, one is found, of another the place of its duration is fetched, and one is
// added, in the order in which they came.
void ProfileCells::enter(const Waiting& more) {
  if (entered_ - put_ == kQueue) put(waiting(put_++));
  Waiting& last = waiting(entered_++);
  last = more;
  last.hash = hash(last.key);
  prefetch(&slots_[last.hash & (slots_.size() - 1)]);
  if (entered_ <= 2 * kStep) return;
  find(waiting(entered_ - kStep));
  const Waiting& found = waiting(entered_ - 2 * kStep);
  if (found.cell != kFree) cells_[found.cell].durations.fetch(found.duration);
}

void ProfileCells::finish() {
  while (put_ != entered_) put(waiting(put_++));
}

// Most probably that cell: whether it is, is looked at when it is here.
void ProfileCells::find(Waiting& of) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = of.hash & mask;
  while (slots_[at].cell != kFree && slots_[at].tag != tag(of.hash)) at = (at + 1) & mask;
  of.cell = slots_[at].cell;
  if (of.cell != kFree) prefetch(&cells_[of.cell]);
}

void ProfileCells::put(const Waiting& of) {
  ProfileSums& sums = sums_of(of);
  if (of.is_call) {
    if (!sums.has_calls) sums.durations = {};
    sums.has_calls = true;
    sums.durations.add(of.duration);
    add_time(sums.lasted, of.duration);
    add_time(sums.calls_on_cpu, of.on_cpu);
    add_time(sums.calls_blocked, of.blocked);
    return;
  }
  add_time(sums.total, of.duration);
  ++sums.pieces;
  if (!sums.has_calls) sums.durations.add(of.duration);
  if (of.ipc == 0) return;
  const auto time = static_cast<double>(of.duration);
  sums.ipc_time += (kIpcMiddles[of.ipc & 15u] - kIpcMiddles[0]) * time;
  sums.both_ipc_time += (kIpcMiddles[ipc_of_both(of.ipc)] - kIpcMiddles[ipc_of_both(0)]) * time;
}

std::uint64_t ProfileCells::hash(const Key& key) {
  const std::uint64_t what = std::uint64_t{key.name} << 8 | static_cast<unsigned>(key.kind);
  const std::uint64_t where = std::uint64_t{key.row} << 32 | key.arg;
  const std::uint64_t mixed = (what ^ where * 0xc2b2'ae3d'27d4'eb4full) * 0x9e37'79b9'7f4a'7c15ull;
  return mixed ^ mixed >> 29;
}

bool ProfileCells::is(const ProfileSums& sums, const Key& key) {
  return sums.row == key.row && sums.name == key.name && sums.arg == key.arg &&
         sums.kind == key.kind;
}

ProfileSums& ProfileCells::sums_of(const Waiting& of) {
  if (of.cell != kFree && is(cells_[of.cell], of.key)) return cells_[of.cell];
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = of.hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.cell == kFree) return add_cell(of, at);
    if (slot.tag == tag(of.hash) && is(cells_[slot.cell], of.key)) return cells_[slot.cell];
  }
}

ProfileSums& ProfileCells::add_cell(const Waiting& of, std::size_t slot) {
  slots_[slot] = {static_cast<std::uint32_t>(cells_.size()), tag(of.hash)};
  ProfileSums& sums = cells_.add();
  sums.row = of.key.row;
  sums.name = of.key.name;
  sums.arg = of.key.arg;
  sums.kind = of.key.kind;
  sums.event = of.event;
  if (cells_.size() > slots_.size() / 2) grow();
  return sums;
}

void ProfileCells::grow() {
  slots_.assign(slots_.size() * 2, Slot{});
  for (std::uint32_t cell = 0; cell < cells_.size(); ++cell) {
    const ProfileSums& sums = cells_[cell];
    const std::uint64_t hashed = hash({sums.row, sums.name, sums.arg, sums.kind});
    std::size_t at = hashed & (slots_.size() - 1);
    while (slots_[at].cell != kFree) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {cell, tag(hashed)};
  }
}

std::vector<std::vector<const ProfileSums*>> ProfileCells::by_row(std::size_t rows) const {
  std::vector<std::vector<const ProfileSums*>> cells(rows);
  for (std::size_t i = 0; i < cells_.size(); ++i) cells[cells_[i].row].push_back(&cells_[i]);
  return cells;
}

}  // namespace kutrace::reports
