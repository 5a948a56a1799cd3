// SPDX-License-Identifier: BSD-3-Clause
// Pieces that a thread makes ahead: all of them, in order, what went wrong behind them, and an end
// before the end.
#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "base/made_ahead.h"

using kutrace::MadeAhead;

namespace {

using Piece = std::vector<int>;

// 0, 1, 2 ... up to `count` pieces; what is filled was empty.
auto counting(int& made, int count) {
  return [&made, count](Piece& piece) {
    if (!piece.empty()) throw std::logic_error("not empty");
    if (made == count) return false;
    piece.push_back(made++);
    return true;
  };
}

}  // namespace

TEST_CASE("pieces that are made ahead come in order, and then no more") {
  int made = 0;
  MadeAhead<Piece> pieces(counting(made, 1000), 3);
  Piece piece;
  for (int number = 0; number < 1000; ++number) {
    REQUIRE(pieces.take(piece));
    CHECK(piece == Piece{number});
  }
  CHECK_FALSE(pieces.take(piece));
  CHECK_FALSE(pieces.take(piece));
}

TEST_CASE("what making a piece throws comes behind the pieces before it") {
  int made = 0;
  MadeAhead<Piece> pieces(
      [&made](Piece& piece) {
        if (made == 5) throw std::runtime_error("no more memory");
        piece.push_back(made++);
        return true;
      },
      2);
  Piece piece;
  for (int number = 0; number < 5; ++number) REQUIRE(pieces.take(piece));
  CHECK_THROWS_AS(pieces.take(piece), std::runtime_error);
}

TEST_CASE("no more pieces are made ahead than are asked for, and none when nobody takes them") {
  constexpr std::size_t kMostReady = 4;
  std::atomic<std::size_t> made = 0;
  std::size_t taken = 0;
  {
    MadeAhead<Piece> pieces(
        [&made](Piece& piece) {
          piece.push_back(0);
          ++made;
          return true;
        },
        kMostReady);
    Piece piece;
    while (taken < 10 && pieces.take(piece)) {
      ++taken;
      CHECK(made <= taken + kMostReady);
    }
  }
  CHECK(made <= taken + kMostReady);
}
