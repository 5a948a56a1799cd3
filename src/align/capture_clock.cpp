// SPDX-License-Identifier: BSD-3-Clause
// Medians of packets that were seen one after the other.
#include "align/capture_clock.h"

#include <algorithm>
#include <iterator>

namespace kutrace::align {

namespace {

constexpr std::size_t kMostTogether = 32;  // packets whose median is taken
constexpr std::size_t kLeastTogether = 5;
constexpr std::size_t kParts = 8;  // of a run, where it is short
constexpr Ns kSecond = 1'000'000'000;
constexpr Ns kTelling = 100'000;         // a change of the difference that is a drift beyond doubt
constexpr double kStraight = 50'000;     // so far is a point from a straight line
constexpr double kStraightShare = 0.05;  // or so much of the change
constexpr Ns kShortest = 1000;           // pause between packets
constexpr Ns kInexact = 100'000;         // of a step's size
constexpr double kSure = 100;            // times as likely

}  // namespace

// The median stands where the packet does that has it.
CaptureClock::Piece CaptureClock::piece_of(std::vector<SeenTwice>& run) {
  Piece piece;
  const auto [first, last] = std::ranges::minmax(run, {}, &SeenTwice::frame);
  piece.begin = first.frame;
  piece.end = last.frame + 1;
  std::ranges::sort(run, {}, &SeenTwice::captured);
  const std::size_t together = std::clamp(run.size() / kParts, kLeastTogether, kMostTogether);
  for (auto begin = run.begin(); begin != run.end();) {
    // What is left over at the end goes with those before.
    const auto left = static_cast<std::size_t>(run.end() - begin);
    const auto end =
        left < 2 * together ? run.end() : begin + static_cast<std::ptrdiff_t>(together);
    const auto middle = begin + (end - begin) / 2;
    std::ranges::nth_element(begin, middle, end, {}, &SeenTwice::difference);
    piece.points.push_back({middle->captured(), middle->difference});
    begin = end;
  }
  piece.is_steady = piece.is_straight();
  return piece;
}

CaptureClock::CaptureClock(std::vector<std::vector<SeenTwice>> runs, std::span<const Ns> walls) {
  if (runs.empty()) return;
  Ns disorder = kInexact;
  for (std::vector<SeenTwice>& run : runs) {
    const Piece& piece = pieces_.emplace_back(piece_of(run));
    for (std::size_t i = piece.begin; i + 1 < piece.end; ++i)
      disorder = std::max(disorder, walls[i] - walls[i + 1]);
  }
  for (std::size_t i = 0; i + 1 < pieces_.size(); ++i)
    part(pieces_[i], pieces_[i + 1], walls, disorder);
  // Where time goes back in front of what is known or behind it, the clock was set, too.
  std::size_t& begin = pieces_.front().begin;
  while (begin > 0 && walls[begin - 1] - walls[begin] <= disorder) --begin;
  std::size_t& end = pieces_.back().end;
  while (end < walls.size() && walls[end - 1] - walls[end] <= disorder) ++end;
  unplaced_ = walls.size();
  for (const Piece& piece : pieces_) unplaced_ -= piece.end - piece.begin;
}

// Behind which packet the clock was set: if behind this one, the pause there was longer or shorter
// than it looks. A pause of any length is as likely as one of twice the length, so one that looks
// as long as the step, and was short, is likely where the clock was set.
void CaptureClock::part(Piece& one, Piece& other, std::span<const Ns> walls, Ns disorder) {
  const std::size_t last = one.end - 1;
  const std::size_t next = other.begin;
  const Ns step = other.ahead(walls[next]) - one.ahead(walls[last]);
  const auto pause = [&](std::size_t i) { return walls[i + 1] - walls[i]; };
  std::size_t backward = 0;
  for (std::size_t i = last; i < next; ++i)
    if (pause(i) < -disorder) ++backward;
  // 0: cannot be.
  const auto likelihood = [&](std::size_t i) {
    const bool goes_back_elsewhere = backward > (pause(i) < -disorder ? 1U : 0U);
    const Ns true_pause = pause(i) - step;
    if (goes_back_elsewhere || true_pause < -disorder) return 0.0;
    return static_cast<double>(std::max(pause(i), kShortest)) /
           static_cast<double>(std::max(true_pause, kShortest));
  };
  double best = 0;
  for (std::size_t i = last; i < next; ++i) best = std::max(best, likelihood(i));
  if (best > 0) {
    const auto is_likely = [&](std::size_t i) { return likelihood(i) * kSure >= best; };
    std::size_t begin = last;
    while (!is_likely(begin)) ++begin;
    std::size_t end = next - 1;
    while (!is_likely(end)) --end;
    one.end = begin + 1;
    other.begin = end + 1;
  }
  steps_.push_back({walls[other.begin] - other.ahead(walls[other.begin]), step});
}

double CaptureClock::Piece::slope() const {
  return static_cast<double>(change()) / static_cast<double>(std::max<Ns>(1, span()));
}

bool CaptureClock::Piece::is_straight() const {
  const double most = std::max(kStraight, kStraightShare * std::abs(static_cast<double>(change())));
  return std::ranges::all_of(points, [&](const Point& one) {
    const double expected = slope() * static_cast<double>(one.captured - points.front().captured);
    return std::abs(static_cast<double>(one.value - points.front().value) - expected) <= most;
  });
}

Ns CaptureClock::Piece::ahead(Ns captured) const {
  const auto next = std::ranges::upper_bound(points, captured, {}, &Point::captured);
  const Point& near = next == points.begin() ? points.front() : *std::prev(next);
  double rate = 0;
  if (next != points.begin() && next != points.end()) {
    rate = static_cast<double>(next->value - near.value) /
           static_cast<double>(next->captured - near.captured);
  } else if (is_steady && span() > kSecond && std::abs(change()) >= kTelling) {
    rate = slope();  // on either side it goes on as it did
  }
  return near.value + static_cast<Ns>(rate * static_cast<double>(captured - near.captured));
}

std::optional<std::size_t> CaptureClock::run_of(std::uint32_t frame) const {
  const auto next = std::ranges::upper_bound(pieces_, frame, {}, &Piece::begin);
  if (next == pieces_.begin() || frame >= std::prev(next)->end) return std::nullopt;
  return static_cast<std::size_t>(std::prev(next) - pieces_.begin());
}

std::optional<Ns> CaptureClock::of_trace(std::uint32_t frame, Ns captured) const {
  const auto run = run_of(frame);
  if (!run) return std::nullopt;
  return captured - pieces_[*run].ahead(captured);
}

CaptureClock::Course CaptureClock::course() const {
  Course course;
  Ns span = 0;
  Ns change = 0;
  bool is_steady = true;
  for (const Piece& piece : pieces_) {
    span += piece.span();
    change += piece.change();
    is_steady = is_steady && piece.is_steady;
    for (const Point& point : piece.points) {
      course.least = std::min(course.least, point.value - piece.points.front().value);
      course.most = std::max(course.most, point.value - piece.points.front().value);
    }
  }
  if (is_steady && span > kSecond)
    course.drift = static_cast<double>(change) / (static_cast<double>(span) / kSecond);
  return course;
}

}  // namespace kutrace::align
