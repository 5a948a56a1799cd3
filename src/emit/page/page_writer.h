// SPDX-License-Identifier: BSD-3-Clause
// Spans to one self-contained HTML page. In: spans through push, then the trace's facts; out: text
// in pieces. Slabs are compressed by a second thread while spans arrive, and wait in a file, if
// there is one, until all is known that comes before them; else about 5 bytes a span are held.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/spill.h"
#include "model/span_sink.h"
#include "model/trace_info.h"

namespace kutrace::emit {

struct PageOptions {
  std::string title;       // empty: the recorded command, or the host's name
  std::string saved{};     // what a page shows at first (page_view.h); empty: all of the trace
  bool container = false;  // blocks without the viewer, as they are on disk (doc/page-format.md)
  // Of calls as they come; null: a call's two halves in the thread that made one and in that one
  // are two calls to its sums.
  const NameTable* names = nullptr;
  Spill* spill = nullptr;  // empty; null: none
};

struct PageSummary {
  std::uint64_t spans = 0;
  std::uint64_t bytes = 0;
};

// Takes the next piece of the page; false: it could not be written.
using PageOutput = std::function<bool(std::string_view)>;

class PageWriter final : public SpanSink {
 public:
  explicit PageWriter(PageOptions options);
  ~PageWriter() override;

  void push(const Span& span) override;
  void call(const Call& call) override;
  void life(const ThreadLife& life) override;
  // After the stream's end, once.
  Result<PageSummary> write(const TraceInfo& info, const NameTable& names,
                            const PageOutput& output);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kutrace::emit
