// SPDX-License-Identifier: BSD-3-Clause
// A promise that the program breaks is told with the place in the trace, in every build.
#include <catch2/catch.hpp>
#include <string>

#include "base/check.h"
#include "format/event_table.h"
#include "spans/call_stack.h"
#include "spans/rebuild.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

class NoFaults : public SpanSink {
 public:
  void push(const Span& span) override {
    check(span.kind != SpanKind::kTrap, "there are no faults");
  }
};

TEST_CASE("a broken promise says at which event, on which CPU and when") {
  TraceBuilder b;
  b.cpu(3, 10).at(10, 0x800).at(20, ev::kPageFault).at(30, ev::kPageFault | ev::kReturnBit);
  NameTable names;
  NoFaults sink;
  std::string told;
  try {
    static_cast<void>(spans::rebuild(b.file(100), names, sink));
  } catch (const Bug& bug) {
    told = bug.what();
  }
  CHECK(told == "there are no faults, at event 60e of CPU 3, 480 ns");
}

TEST_CASE("a call stack neither ends what never began nor grows beyond its room") {
  spans::CallStack stack;
  CHECK_THROWS_AS(stack.pop(), Bug);
  while (!stack.full()) stack.push({});
  CHECK_THROWS_AS(stack.push({}), Bug);
}

}  // namespace
}  // namespace kutrace::test
