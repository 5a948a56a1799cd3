// SPDX-License-Identifier: BSD-3-Clause
// The cells of a profile: what a row (a CPU, a thread, an RPC) has of one name. In: a row's number,
// spans and calls; out: its sums. Cells of many threads and names are more than a cache holds, and
// each span is of others. So all rows share one table, and what is added waits in a short queue
// while its cell is fetched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/chunked.h"
#include "base/units.h"
#include "model/call.h"
#include "model/names.h"
#include "model/span.h"
#include "reports/duration_histogram.h"

namespace kutrace::reports {

struct ProfileSums {
  std::uint32_t row = 0;
  NameId name = kNoName;
  std::uint32_t arg = 0;  // MHz of a frequency, else 0
  EventNum event = 0;     // of what came first
  SpanKind kind = SpanKind::kUser;
  bool has_calls = false;
  DurationHistogram durations;  // of calls, if there are any; else of pieces
  Ns total = 0;                 // of pieces
  std::uint64_t pieces = 0;
  Ns lasted = 0;  // the sum of calls' durations
  Ns calls_on_cpu = 0;
  Ns calls_blocked = 0;
  // Beyond what the least nibble stands for: sixteenths * ns, nibbles being IPC alone, and the same
  // of nibbles that hold IPC and cache misses.
  double ipc_time = 0;
  double both_ipc_time = 0;

  // Mean instructions per cycle. `both`: nibbles hold cache misses, too.
  double ipc(bool both) const;
};

class ProfileCells {
 public:
  void add(std::uint32_t row, const Span& span);
  void add(std::uint32_t row, const Call& call);
  // Adds what waits. Comes before `by_row`.
  void finish();
  // Of each row its cells, in the order of their appearance.
  std::vector<std::vector<const ProfileSums*>> by_row(std::size_t rows) const;

 private:
  struct Key {
    std::uint32_t row = 0;
    NameId name = kNoName;
    std::uint32_t arg = 0;
    SpanKind kind = SpanKind::kUser;
  };
  struct Slot {
    std::uint32_t cell = kFree;
    std::uint32_t tag = 0;  // of the key's hash
  };
  // A piece or a call on its way to its cell.
  struct Waiting {
    Key key;
    EventNum event = 0;
    std::uint32_t cell = kFree;  // kFree: not found so far
    std::uint64_t hash = 0;
    Ns duration = 0;
    Ns on_cpu = 0;
    Ns blocked = 0;
    std::uint8_t ipc = 0;
    bool is_call = false;
  };
  static constexpr std::uint32_t kFree = 0xffff'ffff;
  // So many are on their way, and so many come between one look at memory and the next.
  static constexpr std::size_t kQueue = 32;
  static constexpr std::size_t kStep = 8;

  Waiting& waiting(std::size_t number) { return queue_[number % kQueue]; }
  void enter(const Waiting& more);
  void find(Waiting& of) const;
  void put(const Waiting& of);
  ProfileSums& sums_of(const Waiting& of);
  ProfileSums& add_cell(const Waiting& of, std::size_t slot);
  void grow();
  static std::uint64_t hash(const Key& key);
  static std::uint32_t tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
  static bool is(const ProfileSums& sums, const Key& key);

  std::vector<Slot> slots_ = std::vector<Slot>(1024);  // a power of two, at most half of them used
  Chunked<ProfileSums> cells_;
  std::array<Waiting, kQueue> queue_{};
  std::size_t entered_ = 0;
  std::size_t put_ = 0;
};

}  // namespace kutrace::reports
