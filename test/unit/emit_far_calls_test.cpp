// SPDX-License-Identifier: BSD-3-Clause
// Far calls, which become columns before it is known in what unit, are written as those of a slab.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "emit/page/far_calls.h"
#include "emit/page/slab_calls.h"

namespace kutrace {
namespace {

constexpr Ns kTick = 12;  // all times are multiples of it, and of no more

Call call(std::uint32_t id, Ns begin, Ns own, std::span<const WaitTime> waits) {
  Call one;
  one.id = CallId{id};
  one.begin = begin;
  one.own = one.on_cpu = own;
  for (const WaitTime& wait : waits) one.blocked += wait.time;
  one.end = begin + own + one.blocked + (id % 3) * kTick;  // what is not known
  one.arg = 7 * id;
  one.pieces = 1 + id % 2;
  one.waits = waits;
  return one;
}

TEST_CASE("far calls are written as a slab's, whatever the unit of their times is") {
  constexpr std::array kWaits{WaitTime{'d', 5 * kTick}, WaitTime{'l', 2 * kTick}};
  const Ns base = GENERATE(Ns{0}, Ns{-600}, Ns{120'000});
  const Ns unit = GENERATE(Ns{1}, kTick, Ns{4});
  emit::FarCalls far;
  emit::SlabCalls slab;
  for (std::uint32_t i = 1; i <= 40; ++i) {
    const auto waits = std::span(kWaits).first(i / 2 % 3);
    const Call one = call(i, (100 + 9 * Ns{i} - 40 * Ns{i % 5}) * kTick, i * kTick, waits);
    const emit::CallPlace place{i % 4, 2 + i % 3, 0};
    far.add(one, place);
    slab.add(one, place);
  }
  emit::CommonUnit of_far;
  far.fold(base, of_far);
  emit::CommonUnit of_slab;
  slab.each_time(base, [&of_slab](Ns time) { of_slab.fold(time); });
  CHECK(of_far.found() == of_slab.found());
  CHECK(of_far.found() == kTick);

  emit::Column as_far;
  far.put_to(base, emit::TimeUnit(unit), as_far);
  emit::Column as_slab;
  slab.settle({});
  slab.encode(emit::Column(), base, emit::TimeUnit(unit), as_slab);
  CHECK(std::ranges::equal(as_far.bytes(), as_slab.bytes()));

  emit::KindTotals of_far_kinds;
  far.add_to(of_far_kinds);
  emit::KindTotals of_slab_kinds;
  slab.add_to(of_slab_kinds);
  for (KindIndex kind = 0; kind < 4; ++kind) {
    CHECK(of_far_kinds.calls_of(kind).count == 10);
    CHECK(of_far_kinds.calls_of(kind).total == of_slab_kinds.calls_of(kind).total);
  }
}

}  // namespace
}  // namespace kutrace
