// SPDX-License-Identifier: BSD-3-Clause
// What is written of calls, see call_columns.h.
#include "emit/page/call_columns.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kutrace::emit {
namespace {

bool alike(const WaitTime& a, const WaitTime& b) {
  return a.letter == b.letter && a.time == b.time;
}

// Each number as `change` makes it.
template <typename Change>
void rewrite(Column& column, Change change) {
  Column changed;
  for (ColumnReader reader(column); !reader.at_end();) changed.put(change(reader.next()));
  column = std::move(changed);
}

}  // namespace

void put_time(Column& column, Ns time, Ns like, const TimeUnit& unit) {
  column.put(time == 0 ? 0 : time == like ? 1 : unit.length(time) + 1);
}

void clear_zeros(Column& column) {
  if (std::ranges::all_of(column.bytes(), [](std::uint8_t byte) { return byte == 0; })) {
    column.clear();
  }
}

void CallColumns::add_waits(const SlabCall& call, std::span<const WaitTime> waits) {
  if (!waits.empty() && std::ranges::equal(waits, waits_before_, alike)) {
    counts_.put(kPageSameWaits);
  } else {
    counts_.put(waits.size());
    for (const WaitTime& wait : waits) {
      letters_.put_byte(static_cast<std::uint8_t>(wait.letter - 'a'));
      times_.put(unit_.length(wait.time));
    }
    waits_before_.assign(waits.begin(), waits.end());
  }
  put_time(unknown_, call.unknown, unknown_before_, unit_);
  unknown_before_ = call.unknown;
  flags_.put(call.flags);
}

void CallColumns::add_whole(const SlabCall& call, std::span<const WaitTime> waits) {
  add_waits(call, waits);
  ++whole_;
  kinds_.put(call.kind);
  threads_.put(call.thread);
  cpus_.put(call.cpu == kNoCpu ? 0 : std::uint64_t{call.cpu} + 1);
  ends_.put_signed(unit_.count(call.end - std::exchange(last_end_, call.end)));
  durations_.put(unit_.length(call.duration()));
  owns_.put(unit_.length(call.own));
  numbers_.put(call.pieces);
  args_.put(call.arg);
  results_.put(call.result);
  stacks_.put(call.stack);
}

void CallColumns::convert(Ns base, const TimeUnit& unit) {
  const auto in_units = [&unit](std::uint64_t time) { return unit.length(static_cast<Ns>(time)); };
  Column ends;
  Ns begin = base;
  for (ColumnReader reader(ends_); !reader.at_end(); begin = 0) {
    ends.put_signed(unit.count(reader.next_signed() - begin));
  }
  ends_ = std::move(ends);
  if (unit.unit() == 1) return;
  for (Column* column : {&times_, &durations_, &owns_}) rewrite(*column, in_units);
  rewrite(unknown_, [&](std::uint64_t put) { return put <= 1 ? put : in_units(put - 1) + 1; });
}

void CallColumns::put_to(Column& out, const Column& pieces, const Column& leads,
                         const Column& tails) {
  for (Column* column : {&counts_, &unknown_, &flags_, &stacks_}) clear_zeros(*column);
  Column whole;
  whole.put(whole_);
  const std::array first{&counts_, &letters_, &times_, &unknown_, &flags_};
  const std::array others{&kinds_, &threads_, &cpus_, &ends_,    &durations_,
                          &owns_,  &numbers_, &args_, &results_, &stacks_};
  std::size_t size = whole.size();
  for (const Column* column : {&pieces, &leads, &tails}) size += Column::nested_size(*column);
  for (const Column* column : first) size += Column::nested_size(*column);
  for (const Column* column : others) size += Column::nested_size(*column);
  Column head;
  head.put(size);
  out.reserve(head.size() + size);
  out.append(head);
  out.append(whole);
  out.put_column(pieces);
  // There may be very many far calls: what is written is no longer held.
  for (Column* column : first) out.put_column(std::exchange(*column, Column()));
  out.put_column(leads);
  out.put_column(tails);
  for (Column* column : others) out.put_column(std::exchange(*column, Column()));
}

}  // namespace kutrace::emit
