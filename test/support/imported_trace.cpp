// SPDX-License-Identifier: BSD-3-Clause
// Through the list of forms, as commands open them.
#include "support/imported_trace.h"

#include <catch2/catch.hpp>

#include "base/mapped_file.h"
#include "model/span_sink.h"
#include "read/trace/trace_forms.h"
#include "support/foreign_traces.h"

namespace kutrace::test {

namespace {

struct Nowhere : SpanSink {
  void push(const Span& /*span*/) override {}
};

}  // namespace

Result<std::unique_ptr<read::TraceReader>> opened(const std::string& file) {
  const read::TraceForm* const form = read::find_form(file);
  REQUIRE(form != nullptr);
  return form->open(MappedFile::from_bytes(bytes_of(file), "foreign"));
}

Replay replayed(const std::string& file) {
  auto reader = opened(file);
  if (!reader) FAIL(describe(reader.error()));
  Replay r;
  replay(*(*reader)->raw(), r);
  return r;
}

Counters found_in(const std::string& file) {
  auto reader = opened(file);
  if (!reader) FAIL(describe(reader.error()));
  NameTable names;
  Nowhere nowhere;
  const auto info = (*reader)->replay(names, nowhere, {}, {});
  REQUIRE(info);
  return info->counters;
}

}  // namespace kutrace::test
