// SPDX-License-Identifier: BSD-3-Clause
// Makes the CPU spans of a span file tile each CPU's time. In: execution spans, per CPU by start;
// out: the same, without gap or overlap from begin to end. Upstream's spans are rounded to 10 ns,
// lack the last open one of each CPU, and overlap or leave gaps where it repaired its input.
//
// Rules, each counted under its name (doc/span-json.md):
//   json_zero_length    a span of no time is left out
//   json_rounding_gap   up to 10 ns between two spans go to the one before
//   json_overlap        a span ends where the next begins; what is left of it goes on afterwards
// Longer gaps become loss, unless the reader knows better.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/span_sink.h"
#include "model/trace_info.h"

namespace kutrace::read {

class JsonTimeline {
 public:
  // `info` gives begin and end, and takes repairs and losses. Gaps become `gap`: loss, or hidden
  // where nothing was lost. `has_results`: spans have one, which holds where it can.
  JsonTimeline(TraceInfo& info, NameTable& names, SpanSink& sink, SpanKind gap = SpanKind::kLoss,
               bool has_results = true);

  void push(const Span& span);
  void finish();

 private:
  struct Track {
    CpuId cpu = 0;
    Span open;     // the last span, its end not yet sure
    Span covered;  // an earlier one that reaches behind `open`
    bool any = false;
    Ns emitted = 0;  // everything before is out

    Ns open_end() const { return open.start + open.duration; }
    Ns covered_end() const {
      return covered.duration == 0 ? emitted : covered.start + covered.duration;
    }
  };

  Track& track(CpuId cpu);
  void emit(Track& track, Span span, Ns end);
  // Emits the open span and what lies between it and `until`.
  void close(Track& track, Ns until, const Span* next);
  void fill(Track& track, Ns begin, Ns end);

  TraceInfo& info_;
  SpanSink& sink_;
  bool has_results_;
  Span gap_;
  std::vector<std::int32_t> index_;  // by CPU number, -1 for none
  std::vector<Track> tracks_;
  std::uint64_t zero_length_ = 0;
  std::uint64_t rounding_gaps_ = 0;
  std::uint64_t overlaps_ = 0;
};

}  // namespace kutrace::read
