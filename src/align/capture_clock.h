// SPDX-License-Identifier: BSD-3-Clause
// How much the clock of a capture is ahead of a trace's. In: packets that both have, in runs
// between which the capture's clock was set, and when it saw all of its packets; out: the
// difference at any packet of the capture: the median of some packets, interpolated between them,
// but never from one run to the next. A packet between two runs is of the one whose clock makes
// sense of the pauses around it, or of none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "align/capture_packets.h"
#include "base/units.h"

namespace kutrace::align {

class CaptureClock {
 public:
  // The clock was set to another time.
  struct Step {
    Ns wall = 0;  // of the trace: the first packet behind it
    Ns by = 0;
  };

  CaptureClock() = default;
  // `walls`: of all packets of the capture, in the order of the file.
  CaptureClock(std::vector<std::vector<SeenTwice>> runs, std::span<const Ns> walls);

  // The run that a packet of the capture is of.
  std::optional<std::size_t> run_of(std::uint32_t frame) const;
  // A time of the capture as the trace's. Nothing where it cannot be told.
  std::optional<Ns> of_trace(std::uint32_t frame, Ns captured) const;
  // How much it is ahead of the trace at the first packet of both.
  Ns ahead() const { return pieces_.empty() ? 0 : pieces_.front().points.front().value; }
  // The least and the most it is ahead, steps left out, relative to where each run begins.
  struct Course {
    Ns least = 0;
    Ns most = 0;
    std::optional<double> drift;  // gain, ns a second, if it is steady and a second or more tells
  };
  Course course() const;
  const std::vector<Step>& steps() const { return steps_; }
  // Packets of the capture whose time cannot be told.
  std::uint64_t unplaced() const { return unplaced_; }

 private:
  struct Point {
    Ns captured = 0;
    Ns value = 0;
  };
  struct Piece {
    std::size_t begin = 0;  // packets of the capture
    std::size_t end = 0;
    std::vector<Point> points;
    bool is_steady = false;  // on a straight line

    Ns change() const { return points.back().value - points.front().value; }
    Ns span() const { return points.back().captured - points.front().captured; }
    double slope() const;
    Ns ahead(Ns captured) const;
    bool is_straight() const;
  };

  static Piece piece_of(std::vector<SeenTwice>& run);
  void part(Piece& one, Piece& other, std::span<const Ns> walls, Ns disorder);

  std::vector<Piece> pieces_;
  std::vector<Step> steps_;
  std::uint64_t unplaced_ = 0;
};

}  // namespace kutrace::align
