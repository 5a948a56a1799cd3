// SPDX-License-Identifier: BSD-3-Clause
// What the event number of a JSON record means. In: records; out: spans.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "model/names.h"
#include "model/span.h"
#include "read/form/json_names.h"
#include "read/span_json/json_record.h"

namespace kutrace::read {

class JsonKinds {
 public:
  enum class Meaning {
    kSpan,      // `span` holds it
    kRowName,   // the name of a row of the page: `span` holds pid and name
    kCallout,   // a bubble that somebody put on the page
    kOverlay,   // another drawing by hand
    kUnusable,  // no meaning is known, or a field is out of range
  };

  explicit JsonKinds(NameTable& names);

  Meaning convert(const JsonRecord& record, Span& span);

 private:
  void fill(const JsonRecord& record, Span& span) const;
  void user_or_idle(const JsonRecord& record, Span& span);
  Meaning call(const JsonRecord& record, Span& span);
  Meaning point(const JsonRecord& record, Span& span);
  Meaning arc(const JsonRecord& record, Span& span);
  void sample(const JsonRecord& record, Span& span);
  Meaning off_cpu(const JsonRecord& record, SpanKind kind, std::string_view name, Span& span);

  JsonNames names_;
  NameId idle_;
  std::unordered_map<CpuId, std::uint32_t> mwait_hint_;  // the last one of each CPU
};

}  // namespace kutrace::read
