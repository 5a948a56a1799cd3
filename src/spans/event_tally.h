// SPDX-License-Identifier: BSD-3-Clause
// How many events of each number a stream held. In: each event; out: the counts and the numbers'
// names, to TraceInfo.
#pragma once

#include <array>
#include <cstdint>

#include "format/event_table.h"
#include "model/trace_info.h"
#include "spans/name_book.h"
#include "timeline/event.h"

namespace kutrace::spans {

class EventTally {
 public:
  void add(const timeline::Event& event) {
    if (event.entry.number >= by_event_.size()) return;
    ++entries_;
    if (event.cpu != kNoCpu) events_ += event.entry.fold_ticks != 0 ? 2 : 1;
    ++by_event_[event.entry.number];
  }
  // Writes the counts into `info`: entries, events (a folded call is two) and both by number.
  void finish(NameBook& book, const NameTable& names, TraceInfo& info) const;

 private:
  std::uint64_t entries_ = 0;
  std::uint64_t events_ = 0;
  std::array<std::uint64_t, kEventNumbers> by_event_{};
};

}  // namespace kutrace::spans
