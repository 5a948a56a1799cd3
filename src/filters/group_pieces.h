// SPDX-License-Identifier: BSD-3-Clause
// Threads of processes that moved to another control group, in pieces: one for each group that the
// process was in. In: all lives of a trace, and its facts; out: for each such thread its pieces,
// each with an id of its own, so that to whoever tells threads apart each is a thread.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/facts.h"
#include "model/call.h"

namespace kutrace::filters {

class GroupPieces {
 public:
  struct Piece {
    Ns begin = 0;  // of the first one: before all
    ThreadId thread = ThreadId::kNone;
    std::string path;
  };

  GroupPieces() = default;
  GroupPieces(const std::vector<ThreadLife>& lives, const Facts& facts);

  bool any() const { return !of_thread_.empty(); }
  // In order; none: the thread is whole.
  std::span<const Piece> of(ThreadId thread) const;
  static const Piece& at(std::span<const Piece> pieces, Ns time);

 private:
  std::unordered_map<ThreadId, std::vector<Piece>> of_thread_;
};

}  // namespace kutrace::filters
