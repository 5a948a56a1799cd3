// SPDX-License-Identifier: BSD-3-Clause
// Spans to upstream's span JSON (doc/span-json.md). In: spans through push, then the trace's facts;
// out: text, whose lines are in byte order as upstream's tools and page want them. All spans are
// held until then, 64 bytes each. The same spans and facts give the same bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "spans/names.h"
#include "spans/span.h"
#include "spans/trace_info.h"

namespace kutrace {

struct SpanJsonSummary {
  std::uint64_t records = 0;
  bool beyond_upstream = false;  // times from 999 s on, which upstream's tools do not show
};

class SpanJson : public SpanSink {
 public:
  using Output = std::function<void(std::string_view)>;

  void push(const Span& span) override;
  SpanJsonSummary finish(const TraceInfo& info, const NameTable& names, const std::string& title,
                         const Output& output);

 private:
  void note_name(const Span& span);
  void write_events(const TraceInfo& info, const NameTable& names, Ns offset,
                    const Output& output) const;

  std::deque<Span> spans_;
  std::map<Pid, std::vector<NameId>> thread_names_;  // in the order they came up
};

}  // namespace kutrace
