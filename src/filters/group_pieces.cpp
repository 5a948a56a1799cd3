// SPDX-License-Identifier: BSD-3-Clause
// From the moves of processes to pieces of threads.
#include "filters/group_pieces.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>

#include "model/cgroups.h"
#include "model/processes.h"

namespace kutrace::filters {

// One that got another number has several lives.
GroupPieces::GroupPieces(const std::vector<ThreadLife>& lives, const Facts& facts) {
  if (!tells_cgroup_moves(facts)) return;
  const Processes processes = processes_of(lives);
  const Cgroups cgroups(processes, facts);
  struct Span {
    Ns begin = std::numeric_limits<Ns>::max();
    Ns end = std::numeric_limits<Ns>::min();
  };
  std::unordered_map<ThreadId, Span> spans;
  std::uint32_t last = 0;
  for (const ThreadLife& life : lives) {
    Span& span = spans[life.thread];
    span.begin = std::min(span.begin, life.begin);
    span.end = std::max(span.end, life.end);
    last = std::max(last, static_cast<std::uint32_t>(life.thread));
  }
  for (const Process& process : processes.all()) {
    for (const ThreadId thread : process.threads) {
      if (thread == ThreadId::kNone) continue;
      const Span& span = spans.at(thread);
      std::vector<Piece> pieces{
          {std::numeric_limits<Ns>::min(), thread, cgroups.of(process.id, span.begin)}};
      for (const CgroupMove& move : cgroups.moves(process.id))
        if (move.at > span.begin && move.at < span.end)
          pieces.push_back({move.at, ThreadId{++last}, move.path});
      if (pieces.size() > 1) of_thread_.emplace(thread, std::move(pieces));
    }
  }
}

std::span<const GroupPieces::Piece> GroupPieces::of(ThreadId thread) const {
  const auto found = of_thread_.find(thread);
  return found != of_thread_.end() ? std::span<const Piece>(found->second)
                                   : std::span<const Piece>();
}

const GroupPieces::Piece& GroupPieces::at(std::span<const Piece> pieces, Ns time) {
  return *std::prev(std::ranges::upper_bound(pieces, time, {}, &Piece::begin));
}

}  // namespace kutrace::filters
