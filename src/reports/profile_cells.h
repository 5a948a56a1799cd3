// SPDX-License-Identifier: BSD-3-Clause
// The cells of a profile: what a row (a CPU, a thread, an RPC) has of one name. In: a row's number,
// spans and calls; out: its sums. Cells of many threads and names are more than a cache holds, and
// each span is of others. So what is touched each time is one line of the cache per cell, durations
// go from there to a histogram by the dozen, and what is added waits in a short queue while its
// cell is fetched. There a call joins its last piece.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/chunked.h"
#include "base/units.h"
#include "model/call.h"
#include "model/names.h"
#include "model/span.h"
#include "reports/duration_histogram.h"

namespace kutrace::reports {

struct ProfileSums {
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
  static constexpr std::size_t kMostRows = 3;

 public:
  // Rows that have it: of a CPU, a thread, an RPC.
  class Rows {
   public:
    void add(std::uint32_t row) { rows_[count_++] = row; }
    std::span<const std::uint32_t> all() const { return std::span(rows_).first(count_); }

   private:
    std::array<std::uint32_t, kMostRows> rows_{};
    std::uint32_t count_ = 0;
  };

  void add(const Rows& rows, const Span& span);
  void add(const Rows& rows, const Call& call);
  // The same where what was added last is a piece of the call: in the first so many of its rows.
  void add_to_piece(std::size_t rows, const Call& call);
  // Adds what waits. Comes before all below.
  void finish();
  // Of each row the numbers of its cells, in the order of their appearance.
  std::vector<std::vector<std::uint32_t>> by_row(std::size_t rows) const;
  ProfileSums sums(std::uint32_t cell) const;

 private:
  static constexpr std::uint32_t kFree = 0xffff'ffff;
  static constexpr std::uint64_t kPiecesOfCell = 256;
  struct Slot {
    std::uint32_t cell = kFree;
    std::uint32_t tag = 0;  // of the key's hash
  };
  // What each piece and each call touches.
  struct alignas(64) Cell {
    static constexpr std::size_t kMostWaiting = 12;

    std::uint32_t row = 0;
    NameId name = kNoName;
    Ns total = 0;
    Ns lasted = 0;
    Ns calls_on_cpu = 0;
    Ns calls_blocked = 0;
    Ns longest = 0;  // of the durations
    SpanKind kind = SpanKind::kUser;
    bool has_calls = false;
    std::uint8_t pieces = 0;                           // the rest of a division by kPiecesOfCell
    std::uint8_t waiting = 0;                          // durations
    std::array<std::uint8_t, kMostWaiting> buckets{};  // theirs
  };
  static_assert(sizeof(Cell) == 64);
  // The same of what is seldom touched.
  struct Rest {
    EventNum event = 0;
    std::uint32_t arg = 0;
    std::uint64_t pieces = 0;  // by kPiecesOfCell
    DurationHistogram durations;
    double ipc_time = 0;
    double both_ipc_time = 0;
  };
  // Durations on their way from a cell to its histogram.
  struct Dozen {
    std::uint32_t cell = kFree;
    std::array<std::uint8_t, Cell::kMostWaiting> buckets{};
    Ns longest = 0;
  };
  // A row in which it stands.
  struct Place {
    std::uint32_t row = 0;
    std::uint32_t cell = kFree;  // kFree: not found so far
    std::uint64_t hash = 0;
  };
  // A piece, a call, or a piece and the call that ends with it, on its way to its cells.
  struct Waiting {
    std::array<Place, kMostRows> places{};
    std::uint8_t rows = 0;
    std::uint8_t rows_of_call = 0;  // so many of the first are the call's, too; 0: there is none
    bool is_piece = false;
    std::uint8_t ipc = 0;
    SpanKind kind = SpanKind::kUser;
    NameId name = kNoName;
    std::uint32_t arg = 0;
    EventNum event = 0;
    Ns piece = 0;  // how long it lasted
    Ns lasted = 0;
    Ns on_cpu = 0;
    Ns blocked = 0;
  };
  // So many are on their way, and so many come between one look at memory and the next.
  static constexpr std::size_t kQueue = 32;
  static constexpr std::size_t kStep = 8;
  static constexpr std::size_t kLeaving = 4;  // dozens

  Waiting& waiting(std::size_t number) { return queue_[number % kQueue]; }
  Waiting& enter(const Rows& rows, NameId name, SpanKind kind, std::uint32_t arg);
  void find(Waiting& of) const;
  void fetch_rest(const Waiting& of) const;
  void put(const Waiting& of);
  void begin_calls(std::uint32_t number, Cell& cell);
  void put_piece(std::uint32_t number, Cell& cell, const Waiting& of);
  void put_call(std::uint32_t number, Cell& cell, const Waiting& of);
  void add_durations();
  void add_all_durations();
  void lasts(std::uint32_t number, Cell& cell, Ns duration);
  std::uint32_t other_cell(const Waiting& of, const Place& place);
  std::uint32_t add_cell(const Waiting& of, const Place& place, std::size_t slot);
  void grow();
  static std::uint64_t hash(std::uint32_t row, NameId name, std::uint32_t arg, SpanKind kind);
  static std::uint32_t tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
  bool is(std::uint32_t number, const Waiting& of, const Place& place) const;

  std::vector<Slot> slots_ = std::vector<Slot>(1024);  // a power of two, at most half of them used
  Chunked<Cell> cells_;
  Chunked<Rest> rests_;
  std::array<Waiting, kQueue> queue_{};
  std::size_t entered_ = 0;
  std::size_t put_ = 0;
  std::array<Dozen, kLeaving> leaving_{};
  std::size_t left_ = 0;
};

}  // namespace kutrace::reports
