// SPDX-License-Identifier: BSD-3-Clause
// The page's block of backtraces: what its bytes are.
#include <catch2/catch.hpp>
#include <vector>

#include "emit/page/backtraces.h"
#include "format/event_table.h"

namespace kutrace::test {
namespace {

Span wait(Ns start, Ns duration, NameId stack) {
  Span span;
  span.start = start;
  span.duration = duration;
  span.pid = 10;
  span.event = ev::kWAIT_FIRST + 2;
  span.kind = SpanKind::kWait;
  span.stack = stack;
  return span;
}

Span sample(Ns start, Pid pid, NameId stack) {
  Span span = wait(start, 5, stack);
  span.kind = SpanKind::kSample;
  span.pid = pid;
  span.cpu = 1;
  return span;
}

TEST_CASE("what stacks have in common stands once, waits without one do not stand there") {
  NameTable names;
  const NameId deep = names.intern("a;b;c");
  const NameId beside = names.intern("a;b;d");
  emit::Backtraces backtraces;
  backtraces.add(wait(0, 1, kNoName), 2);
  CHECK_FALSE(backtraces.any());
  backtraces.add(sample(20, 10, kNoName), 2);
  CHECK_FALSE(backtraces.any());
  backtraces.add(wait(10, 300, deep), 3);
  backtraces.add(sample(20, 10, beside), 2);
  backtraces.add(sample(20, 0, beside), 0);  // nobody ran
  backtraces.add(wait(400, 1, deep), 3);
  REQUIRE(backtraces.any());
  const emit::Column column = backtraces.encode(names);
  const std::vector<std::uint8_t> bytes(column.bytes().begin(), column.bytes().end());
  CHECK(bytes == std::vector<std::uint8_t>{
                     4, 4, 1,    1,    1,  1,    4,    'a', 'b', 'c', 'd',  // functions
                     4, 4, 1,    1,    1,  2,    4,    0,   1,   2,   3,    // a, a;b, a;b;c, a;b;d
                     2, 2, 3,    4,                                         // two stacks
                     4, 5, 40,   19,   20, 0xf8, 0x05,                      // 20, -10, +10, +380
                     5, 5, 0xac, 0x02, 5,  1,                               // durations
                     4, 2, 3,    2,    3,  4,    2,    0,   2,   0,         // threads, CPUs
                     4, 0, 3,    0,    3,  4,    0,    1,   2,   1});       // reasons, stacks
}

}  // namespace
}  // namespace kutrace::test
