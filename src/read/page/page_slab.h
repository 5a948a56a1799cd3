// SPDX-License-Identifier: BSD-3-Clause
// One slab of a page, back to spans. In: its bytes, of any origin, and the page's tables; out:
// spans in order of their start, each CPU's one after the other, or a word that says what does not
// fit. Nothing is emitted of a slab that does not fit, except that its last column may break off.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/page_format.h"
#include "model/names.h"
#include "model/span_sink.h"

namespace kutrace::read {

// What all slabs refer to, with names of the reader's table.
struct PageTables {
  std::vector<Span> kinds;                         // kind, event and name of each
  std::vector<std::optional<ThreadIndex>> owners;  // the thread that a kind implies
  std::vector<Pid> threads;
  std::vector<Pid> processes;  // of the threads; the thread's own number where it is not known
};

class PageSlab {
 public:
  // `calls`: whether slabs tell of calls.
  PageSlab(const PageTables& tables, bool calls) : tables_(tables), has_calls_(calls) {}

  // Null if all of it was a slab's; else what was not.
  const char* read(std::span<const std::uint8_t> bytes, SpanSink& sink);

 private:
  const PageTables& tables_;
  const bool has_calls_;
  std::uint32_t last_call_ = 0;  // its id
  std::vector<Span> spans_;      // kept for their room
};

}  // namespace kutrace::read
