// SPDX-License-Identifier: BSD-3-Clause
// An overview: spans shorter than a resolution are folded. In: any trace; out: one whose CPUs spend
// exactly as long in each kind, thread, event and name, with fewer spans: the fewer sorts of them
// share a resolution's time, the fewer.
//
// Per CPU, the time of short spans is put aside, by what they were. Whenever more than the
// resolution would be aside, the parts of it that have not grown for longest are laid out as one
// span each. Spans that are not short, or nearly so when there is no room, stay whole, absorb what
// is aside of their own sort, and join their like. Everything is laid end to end, so what is laid
// out comes early by what is aside, which gives the bound: at no moment do the times that a sort of
// span has had up to then, in the trace and in its overview, differ by more than the resolution;
// and a span that is not short ends, as far as it was not joined with others, at most one
// resolution before it did, and never after.
//
// Overlays shorter than the resolution are left out, but for marks and renames; the facts say how
// many and how long. Loss is never folded. Memory: what is aside, at most the sorts of span that
// fit into one resolution of each CPU's time.
#pragma once

#include <array>
#include <map>

#include "filters/aside.h"
#include "filters/span_filter.h"

namespace kutrace::filters {

class Coarsen : public SpanFilter {
 public:
  // `resolution` > 0.
  Coarsen(Ns resolution, SpanSink& next) : SpanFilter(next), resolution_(resolution) {}

  void push(const Span& span) override;

 private:
  struct Track {
    Aside aside;
    Ns cursor = 0;  // end of what was laid out
    SpanPart open;  // the last part laid out; may still grow
    bool started = false;
  };
  struct LeftOut {
    std::uint64_t spans = 0;
    Ns time = 0;
  };

  void finish(TraceInfo& info) override;
  void overlay(const Span& span);
  void put_aside(Track& track, SpanPart part);
  SpanPart take_cheapest(Track& track) const;
  static void absorb(Track& track, SpanPart& part);
  void lay_out(Track& track, const SpanPart& part);
  void close(Track& track);

  Ns resolution_;
  std::map<CpuId, Track> tracks_;
  std::array<LeftOut, kSpanKinds> left_out_{};
  std::uint64_t spans_in_ = 0;  // of execution
  std::uint64_t spans_out_ = 0;
};

}  // namespace kutrace::filters
