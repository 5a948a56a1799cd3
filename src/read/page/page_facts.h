// SPDX-License-Identifier: BSD-3-Clause
// The header of one of our pages. In: its JSON; out: what is known of the trace, with names still
// as text, and where its spans' kinds, threads and blocks are described.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/page_format.h"
#include "model/span.h"
#include "model/span_slabs.h"
#include "model/trace_info.h"

namespace kutrace::read {

struct PageKindFacts {
  SpanKind kind = SpanKind::kUser;
  EventNum event = 0;
  std::uint32_t name = 0;
  bool names_thread = false;
  ThreadIndex thread = kNoThread;
  SpanSlabs::KindSums sums;
};

struct PageThreadFacts {
  Pid pid = kNoPid;
  std::uint32_t name = 0;
  bool known = true;  // false: spans name it, that is all
  ThreadInfo info;    // all but the name
  Ns begin = 0;
  Ns end = -1;  // of its life; before begin: not told
  Ns executing = 0;
  std::optional<Ns> waiting;
  ThreadIndex first = kNoThread;  // the first row of the same thread; kNoThread: this one
};

struct PageBlockSize {
  std::uint32_t packed = 0;
  std::uint32_t raw = 0;
  std::uint32_t crc = 0;
};

struct PageSlabFacts : PageBlockSize {
  SpanSlabs::Extent extent;
  std::vector<PageBlockSize> parts;  // by SlabPart; none if the header does not tell them
};

struct PageFacts {
  std::string title;
  bool calls = false;   // the slabs tell of calls
  bool stacks = false;  // and on whose stack each stood
  TraceInfo info;       // all but the threads
  std::vector<std::string> names;
  std::vector<PageKindFacts> kinds;
  std::vector<PageThreadFacts> threads;
  std::vector<PageThreadFacts> idle_threads;
  PageBlockSize overview;
  PageBlockSize long_overlays;
  std::optional<PageBlockSize> far;    // what is drawn for many; no span of the trace
  std::optional<PageBlockSize> sums;   // of each CPU by kind
  std::optional<PageBlockSize> files;  // that calls are about
  std::vector<PageSlabFacts> slabs;

  // Whether it holds the sums that lives must add up to: pages of before do not.
  bool tells_lives() const;
};

// Whether the checksum at the end of the header is that of its text.
bool header_is_whole(std::string_view json);

// Fails, without saying of which file, if the text is no header, or one that contradicts itself.
Result<PageFacts> read_page_facts(std::string_view json);

}  // namespace kutrace::read
