// SPDX-License-Identifier: BSD-3-Clause
// Slices of threads to functions that lie in one another. In: begins, ends and whole slices in any
// order, times in ns; out: a span for each slice, those within it first. Memory grows with
// the slices.
//
// Rules, each counted under its name (doc/imports.md):
//   function_begin_not_seen  an end without a begin is left out
//   function_end_not_seen    a slice without an end lasts until its thread's last event
//   functions_left_out       a slice with 1,024 around it is left out
//   chrome_slice_overlap     a slice that begins in another one and ends after it stays as it is
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "format/counters.h"
#include "model/names.h"
#include "model/span_sink.h"

namespace kutrace::read {

class ChromeSlices {
 public:
  // `owner` is any number of the caller's.
  void begin(std::uint32_t owner, Ns time, NameId name) {
    edges_.push_back({time, owner, name, true});
  }
  // kNoName: of whichever slice is the innermost.
  void end(std::uint32_t owner, Ns time, NameId name) {
    edges_.push_back({time, owner, name, false});
  }
  void whole(std::uint32_t owner, Ns begin, Ns end, NameId name) {
    slices_.push_back({begin, end, owner, name});
  }

  struct Owner {
    Pid pid = kNoPid;
    ThreadId thread = ThreadId::kNone;
    Ns last = 0;  // nothing of it is later
  };
  // Sends all of them; `owners` by number.
  void finish(const std::vector<Owner>& owners, SpanSink& sink, Counters& counters);

 private:
  struct Edge {
    Ns time = 0;
    std::uint32_t owner = 0;
    NameId name = kNoName;
    bool begins = false;
  };
  struct Slice {
    Ns begin = 0;
    Ns end = 0;
    std::uint32_t owner = 0;
    NameId name = kNoName;
  };

  void pair_edges(const std::vector<Owner>& owners, Counters& counters);

  std::vector<Edge> edges_;
  std::vector<Slice> slices_;
};

}  // namespace kutrace::read
