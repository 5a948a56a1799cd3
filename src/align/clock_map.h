// SPDX-License-Identifier: BSD-3-Clause
// Times of one machine's clock to those of another's: an offset and a drift, in pieces where the
// clock jumped or changed its rate. Times never go back.
#pragma once

#include <vector>

#include "base/units.h"

namespace kutrace::align {

class ClockMap {
 public:
  // In [begin, end] of the own clock; between two pieces the offset goes from one to the other.
  struct Piece {
    Ns begin = 0;
    Ns end = 0;
    Ns offset = 0;     // to be added at `begin`
    double drift = 0;  // ns that the offset grows in a second

    Ns at(Ns time) const;
  };

  // Clocks that agree.
  ClockMap() = default;
  // At least one piece, in order of time.
  explicit ClockMap(std::vector<Piece> pieces);
  static ClockMap shifted(Ns by) { return ClockMap({{0, 0, by, 0}}); }

  // The time by the other clock. Before the first piece and after the last those go on.
  Ns operator()(Ns time) const;
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
  std::vector<Ns> least_;  // by piece: no time after its begin is mapped to an earlier one
};

}  // namespace kutrace::align
