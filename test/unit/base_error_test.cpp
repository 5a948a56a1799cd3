// SPDX-License-Identifier: BSD-3-Clause
// What a person reads when something fails.
#include <catch2/catch.hpp>
#include <cerrno>

#include "base/error.h"
#include "base/result.h"

namespace kutrace {
namespace {

TEST_CASE("an error says file, byte, block, CPU, causes and what to do next") {
  const Error error = input_error("entry needs 5 words, 3 are left")
                          .with_file("run1.trace")
                          .with_byte(786752)
                          .with_block(12)
                          .with_cpu(3)
                          .because("the block is damaged")
                          .because("the disk was full")
                          .with_hint("record again");
  CHECK(describe(error) ==
        "run1.trace: byte 786752 (block 12, CPU 3): entry needs 5 words, 3 are left\n"
        "  because: the block is damaged\n"
        "  because: the disk was full\n"
        "  hint: record again");
}

TEST_CASE("an error without a place is its sentence") {
  CHECK(describe(usage_error("no such thing")) == "no such thing");
  CHECK(describe(host_error("x").with_cpu(2)) == "CPU 2: x");
  CHECK(describe(output_error("x").with_block(2)) == "block 2: x");
  CHECK(describe(input_error("x").with_byte(0)) == "byte 0: x");
}

TEST_CASE("the kind of an error is the one it was made with") {
  CHECK(usage_error("").kind == ErrorKind::kUsage);
  CHECK(input_error("").kind == ErrorKind::kInput);
  CHECK(host_error("").kind == ErrorKind::kHost);
  CHECK(output_error("").kind == ErrorKind::kOutput);
  CHECK(internal_error("").kind == ErrorKind::kInternal);
}

TEST_CASE("system error numbers have words") {
  CHECK(errno_text(ENOENT) == "No such file or directory");
}

Result<int> half_of(int number) {
  if (number % 2 != 0) return fail(usage_error("odd"));
  return number / 2;
}

Result<int> quarter_of(int number) {
  KUTRACE_ASSIGN(const int half, half_of(number));
  KUTRACE_TRY(half_of(half));
  return half_of(half);
}

TEST_CASE("a failed step leaves the function with its error") {
  CHECK(quarter_of(12).value() == 3);
  CHECK(quarter_of(6).error().sentence == "odd");
  CHECK(quarter_of(3).error().sentence == "odd");
}

}  // namespace
}  // namespace kutrace
