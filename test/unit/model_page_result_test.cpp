// SPDX-License-Identifier: BSD-3-Clause
// What a page holds of results: 16 bits, and whether the call succeeded.
#include <catch2/catch.hpp>

#include "model/page_result.h"

namespace kutrace::test {

TEST_CASE("a page holds 16 bits of a result, and a success stays one") {
  const auto held = [](std::int64_t result) {
    return result_of_page(page_result(SpanKind::kSyscall, {result, true}) + std::uint64_t{1}).value;
  };
  CHECK(held(832) == 832);
  CHECK(held(65'536) == 0);
  CHECK(held(40'000) == -25'536);
  CHECK(held(65'525) == 65'525);
  CHECK(held(65'534) == 65'534);
  CHECK(held(-11) == -11);
}

}  // namespace kutrace::test
