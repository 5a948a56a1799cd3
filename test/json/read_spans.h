// SPDX-License-Identifier: BSD-3-Clause
// Reads span JSON for a test: spans as text, facts, and the law checked on the way.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "read/span_json/json_reader.h"
#include "support/spans_of.h"

namespace kutrace::test {

// Fails the test if the text cannot be read or the law does not hold.
inline void read_json(std::string_view text, Replay& out) {
  class Collect : public SpanSink {
   public:
    explicit Collect(std::vector<Span>& spans) : spans_(spans) {}
    void push(const Span& span) override {
      spans_.push_back(span);
      law.push(span);
    }
    void end(TraceInfo& info) override { law.end(info); }
    reports::LawCheck law;

   private:
    std::vector<Span>& spans_;
  };
  const auto file = read::JsonSpans::open(text, "test.json");
  if (!file) FAIL(describe(file.error()));
  Collect collect(out.spans);
  out.info = file->replay(out.names, collect);
  out.law = collect.law.report();
  for (const std::string& violation : out.law.violations.first) UNSCOPED_INFO(violation);
  REQUIRE(out.law.holds());
}

// An object whose "events" are `records`, as upstream lays it out.
inline std::string json_of(std::string_view records, std::string_view keys = "\"version\" : 3,") {
  return "  {\n \"tracebase\" : \"2025-09-17_05:57:00\",\n " + std::string(keys) +
         "\n\"events\" : [\n" + std::string(records) +
         "[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]\n]}\n";
}

}  // namespace kutrace::test
