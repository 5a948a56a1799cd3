// SPDX-License-Identifier: BSD-3-Clause
// Numbers and lists of numbers in text, up to the largest that there are.
#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "base/number_list.h"
#include "base/number_text.h"

namespace kutrace {
namespace {

constexpr std::uint32_t kLargest = std::numeric_limits<std::uint32_t>::max();
constexpr NumberLimits kWide = {.largest = kLargest, .most = 1000};

using Numbers = std::vector<std::uint32_t>;

Numbers numbers_in(const std::string& text) { return read_number_list(text, kWide).numbers; }
bool is_list(const std::string& text) { return read_number_list(text, kWide).whole; }

TEST_CASE("a list has single numbers and ranges") {
  CHECK(numbers_in("0-2,5,8-9") == Numbers{0, 1, 2, 5, 8, 9});
  CHECK(numbers_in("3") == Numbers{3});
  CHECK(numbers_in("7,0-1") == Numbers{7, 0, 1});
  CHECK(is_list("0-2,5,8-9"));
}

TEST_CASE("a list ends at the largest number there is") {
  CHECK(numbers_in("4294967295") == Numbers{kLargest});
  CHECK(numbers_in("4294967294-4294967295") == Numbers{kLargest - 1, kLargest});
  CHECK(is_list("4294967294-4294967295"));
  CHECK_FALSE(is_list("0-4294967295"));
  CHECK(numbers_in("1,0-4294967295") == Numbers{1});
  CHECK_FALSE(is_list("4294967296"));
  CHECK_FALSE(is_list("99999999999999999999999999"));
}

TEST_CASE("a list holds as many numbers as were asked for, and no larger one") {
  constexpr NumberLimits kFew = {.largest = 9, .most = 4};
  CHECK(read_number_list("0-3", kFew).whole);
  CHECK_FALSE(read_number_list("0-4", kFew).whole);
  CHECK_FALSE(read_number_list("0-2,5,7", kFew).whole);
  CHECK(read_number_list("0-2,5,7", kFew).numbers.size() == 4);
  CHECK(read_number_list("9", kFew).whole);
  CHECK_FALSE(read_number_list("8-10", kFew).whole);
  CHECK(parse_cpu_list("0-8191").size() == 8192);
  CHECK(parse_cpu_list("0-8192").empty());
  CHECK(parse_cpu_list("3,4294967295") == std::vector<CpuId>{3});
}

TEST_CASE("what is no list gives what stands before the fault") {
  for (const char* text :
       {"", ",", "-", "-1", "1-", "3-1", "1,,2", "1, 2", "1;2", "0x1", "1-2-3"}) {
    CAPTURE(text);
    CHECK_FALSE(is_list(text));
  }
  CHECK(numbers_in("1,5-4,7") == Numbers{1});
  CHECK(numbers_in("2,3-") == Numbers{2});
}

TEST_CASE("a number is all of a text, and fits") {
  CHECK(parse_number<std::uint32_t>("4294967295") == kLargest);
  CHECK(parse_number<std::uint64_t>("ff", 16) == 255u);
  CHECK(parse_number<int>("-7") == -7);
  for (const char* text : {"", " 1", "1 ", "+1", "4294967296", "-1", "1a"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_number<std::uint32_t>(text));
  }
}

}  // namespace
}  // namespace kutrace
