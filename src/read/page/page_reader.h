// SPDX-License-Identifier: BSD-3-Clause
// Our own pages and containers, back to spans: all of them, unrounded. In: a file's bytes, which
// must outlive this; out: spans in the order that model/span.h promises, and what is known of the
// trace. One block is unpacked at a time: memory does not grow with the trace.
//
// The spans of a page tile every CPU's time, for kutrace wrote them so. A file of which that is not
// true, or whose blocks do not match their checksums, is refused: it is not what was written.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/cgroups.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/span_slabs.h"
#include "model/trace_info.h"
#include "read/page/page_blocks.h"
#include "read/page/page_facts.h"

namespace kutrace::read {

class PageSpans {
 public:
  static Result<PageSpans> open(std::string_view file, std::string name);
  static Result<PageSpans> open(std::unique_ptr<PageSource> source);

  Ns begin() const { return facts_.info.begin; }
  const std::string& title() const { return facts_.title; }
  // As PageFacts has it.
  bool tells_lives() const { return facts_.tells_lives(); }
  // Whether it may tell that processes moved to another control group, and when.
  bool tells_moves() const { return may_have_moves(facts_.info); }
  // Whether calls have their parents, and waits their calls: pages of before do not tell, nor
  // those of traces that contradict themselves.
  bool tells_nesting() const { return facts_.stacks; }

  // May be called again; every call gives the same.
  Result<TraceInfo> replay(NameTable& names, SpanSink& sink, const Counters& opened = {},
                           const std::function<void(double)>& progress = {}) const;

  // The same by slab; of one at a time, while this stays where it is.
  std::unique_ptr<SpanSlabs> slabs(NameTable& names, const Counters& opened = {}) const;

 private:
  explicit PageSpans(std::unique_ptr<PageSource> source) : source_(std::move(source)) {}

  std::unique_ptr<PageSource> source_;
  PageFacts facts_;
};

}  // namespace kutrace::read
