// SPDX-License-Identifier: BSD-3-Clause
// Piece by piece, each as long as one line fits its messages.
#include "align/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "align/offset_region.h"

namespace kutrace::align {

namespace {

constexpr double kNsPerSecond = 1e9;
// So many messages that fit each other, but not the piece, begin a new one. Fewer are taken for
// other packets of the same hash.
constexpr std::size_t kBeginPiece = 8;
// The first of them is forgotten after so many that fit.
constexpr std::size_t kForget = 64;

void add_matches(std::span<const SeenPacket> sent, std::span<const SeenPacket> received,
                 bool is_own, std::vector<Message>& to) {
  auto at = received.begin();
  for (const SeenPacket& packet : sent) {
    while (at != received.end() && at->hash < packet.hash) ++at;
    if (at == received.end()) return;
    if (at->hash != packet.hash) continue;
    to.push_back(is_own ? Message{packet.time, at->time, true}
                        : Message{at->time, packet.time, false});
  }
}

// One line, and the messages that bound it.
class PieceFit {
 public:
  explicit PieceFit(const Message& first)
      : begin_(first.own), end_(first.own), base_(first.reference - first.own) {}

  // What the own machine sent arrived later than that.
  bool add(const Message& message) {
    const double moment = static_cast<double>(message.own - begin_) / kNsPerSecond;
    const auto offset = static_cast<double>(message.reference - message.own - base_);
    const bool fits =
        region_.add(moment, offset,
                    message.is_own ? OffsetRegion::Bound::kAtMost : OffsetRegion::Bound::kAtLeast);
    if (fits) end_ = std::max(end_, message.own);
    return fits;
  }

  // The clock is known to be this piece's until then, and no longer.
  void ends(Ns end) { end_ = end; }

  ClockMap::Piece piece() const {
    const OffsetRegion::Line line = this->line();
    return {begin_, end_, base_ + static_cast<Ns>(std::llround(line.offset)), line.drift};
  }

  // From `from` or its begin on, to `to` or its end, what is earlier or later. Offsets are farthest
  // from a line at one of its ends.
  std::optional<Ns> within(Ns from, Ns to) const {
    double most = 0;
    const OffsetRegion::Line line = this->line();
    for (const Ns time : {std::min(from, begin_), std::max(to, end_)}) {
      const double moment = static_cast<double>(time - begin_) / kNsPerSecond;
      const OffsetRegion::Range range = region_.at(moment);
      if (range.least <= -kUnbounded || range.most >= kUnbounded) return std::nullopt;
      most = std::max({most, range.most - line.at(moment), line.at(moment) - range.least});
    }
    return static_cast<Ns>(std::ceil(most));
  }

 private:
  static constexpr double kUnbounded = OffsetRegion::kFarthest / 2;

  // Where messages went one way only, as if the quickest of them had taken no time.
  OffsetRegion::Line line() const {
    const OffsetRegion::Range begin = region_.at(0);
    if (begin.least <= -kUnbounded) return {begin.most, 0};
    if (begin.most >= kUnbounded) return {begin.least, 0};
    return region_.middle();
  }

  Ns begin_;
  Ns end_;
  Ns base_;
  OffsetRegion region_;
};

bool fit_together(std::span<const Message> messages, std::span<const std::size_t> which) {
  PieceFit piece(messages[which.front()]);
  return std::ranges::all_of(which, [&](std::size_t i) { return piece.add(messages[i]); });
}

// Where the piece that begins with `first` ends: at the first of several messages that fit each
// other, but not the piece.
std::size_t end_of_piece(std::span<const Message> messages, std::size_t first) {
  PieceFit piece(messages[first]);
  std::vector<std::size_t> others;
  std::size_t fitting = 0;  // since the first of the others
  for (std::size_t i = first; i < messages.size(); ++i) {
    if (piece.add(messages[i])) {
      if (others.empty() || ++fitting < kForget) continue;
      others.clear();
      fitting = 0;
      continue;
    }
    others.push_back(i);
    if (others.size() < kBeginPiece) continue;
    if (fit_together(messages, others)) return others.front();
    others.erase(others.begin());
  }
  return messages.size();
}

// What contradicts a piece first went one way. Messages the other way would have fitted it however
// the clock had changed, so it is the last one of the same way that knew the old clock.
Ns last_known(std::span<const Message> piece, const Message& contradicts) {
  const auto last = std::find_if(piece.rbegin(), piece.rend(), [&](const Message& message) {
    return message.is_own == contradicts.is_own;
  });
  return last == piece.rend() ? piece.front().own : last->own;
}

}  // namespace

std::vector<Message> matched(const SeenPackets& own, const SeenPackets& reference) {
  std::vector<Message> messages;
  add_matches(own.sent, reference.received, true, messages);
  add_matches(reference.sent, own.received, false, messages);
  std::ranges::sort(messages);
  return messages;
}

ClockFit fit_clock(std::span<const Message> messages, TimeWindow recorded) {
  ClockFit fit;
  std::vector<ClockMap::Piece> pieces;
  for (std::size_t first = 0; first < messages.size();) {
    const std::size_t end = end_of_piece(messages, first);
    const std::span<const Message> part = messages.subspan(first, end - first);
    PieceFit piece(part.front());
    for (const Message& message : part) {
      if (!piece.add(message)) ++fit.contradictory;
    }
    if (end != messages.size()) piece.ends(last_known(part, messages[end]));
    const Ns begin = part.front().own;
    const std::optional<Ns> within = piece.within(first == 0 ? recorded.begin : begin,
                                                  end == messages.size() ? recorded.end : begin);
    // What only one direction bounds may be a single false match that nothing contradicted yet.
    if (first != 0 && pieces.size() == 1 && !fit.within.front() && within) {
      pieces.clear();
      fit.within.clear();
    }
    pieces.push_back(piece.piece());
    fit.within.push_back(within);
    first = end;
  }
  for (const Message& message : messages) ++(message.is_own ? fit.sent : fit.received);
  fit.map = ClockMap(std::move(pieces));
  return fit;
}

}  // namespace kutrace::align
