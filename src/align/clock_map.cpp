// SPDX-License-Identifier: BSD-3-Clause
// Pieces of straight lines.
#include "align/clock_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/check.h"

namespace kutrace::align {

namespace {

constexpr double kNsPerSecond = 1e9;

}  // namespace

Ns ClockMap::Piece::at(Ns time) const {
  // Drift is in nanoseconds per second.
  const double grown = drift * static_cast<double>(time - begin) / kNsPerSecond;
  return time + offset + static_cast<Ns>(std::floor(grown));
}

ClockMap::ClockMap(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  check(!pieces_.empty(), "a clock has at least one piece");
  Ns reached = pieces_.front().at(pieces_.front().begin);
  for (const Piece& piece : pieces_) {
    // Time never goes back on the way from one piece to the next, even where two fits overlap.
    least_.push_back(reached);
    reached = std::max({reached, piece.at(piece.begin), piece.at(piece.end)});
  }
}

Ns ClockMap::operator()(Ns time) const {
  if (pieces_.empty()) return time;
  const auto after = std::ranges::upper_bound(pieces_, time, {}, &Piece::begin);
  if (after == pieces_.begin()) return pieces_.front().at(time);
  const auto index = static_cast<std::size_t>(after - pieces_.begin()) - 1;
  const Piece& piece = pieces_[index];
  const Ns least = least_[index];
  if (time <= piece.end || after == pieces_.end()) return std::max(least, piece.at(time));
  const Ns from = std::max(least, piece.at(piece.end));
  const Ns to = std::max(from, after->at(after->begin));
  // Between pieces nothing is known but both ends: a straight line joins them.
  const double share =
      static_cast<double>(time - piece.end) / static_cast<double>(after->begin - piece.end);
  return from + static_cast<Ns>(std::floor(share * static_cast<double>(to - from)));
}

}  // namespace kutrace::align
