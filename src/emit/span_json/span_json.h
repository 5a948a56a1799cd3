// SPDX-License-Identifier: BSD-3-Clause
// Spans to upstream's span JSON (doc/span-json.md). In: spans through push, then the trace's facts;
// out: text, whose lines are in byte order as upstream's tools and page want them. Spans
// are held until then, beyond a quarter of a million in the spill if there is one. The same spans
// and facts give the same bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/content_hash.h"
#include "base/result.h"
#include "emit/span_json/span_order.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/trace_info.h"

namespace kutrace::emit {

struct SpanJsonSummary {
  std::uint64_t records = 0;
  bool beyond_upstream = false;  // times from 999 s on, which upstream's tools do not show
};

class SpanJson : public SpanSink {
 public:
  using Output = std::function<void(std::string_view)>;

  explicit SpanJson(Spill* spill = nullptr) : spans_(spill) {}

  void push(const Span& span) override;
  // After the stream's end, once.
  Result<SpanJsonSummary> write(const TraceInfo& info, const NameTable& names,
                                const std::string& title, const Output& output);

 private:
  // A name of a thread, and since when it has it.
  struct FirstUse {
    NameId name = kNoName;
    Ns time = 0;
  };

  void note_name(const Span& span);
  std::uint32_t content_id(const TraceInfo& info, const NameTable& names,
                           std::string_view title) const;
  Status write_events(const TraceInfo& info, const NameTable& names, Ns offset,
                      const Output& output);

  SpanOrder spans_;
  std::uint64_t spans_hash_ = 0;  // the sum of all spans', in no order
  std::vector<bool> names_used_;  // by NameId
  std::map<Pid, std::vector<FirstUse>> thread_names_;
};

}  // namespace kutrace::emit
