// SPDX-License-Identifier: BSD-3-Clause
// Patterns of names: two signs mean something, all others themselves.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/shell_pattern.h"

namespace kutrace {
namespace {

TEST_CASE("an asterisk is any text, a question mark one character") {
  CHECK(fits("read", "read"));
  CHECK_FALSE(fits("read", "readv"));
  CHECK(fits("*", ""));
  CHECK(fits("p*d*", "pread64"));
  CHECK(fits("*64", "pread64x64"));
  CHECK_FALSE(fits("*64", "pread6"));
  CHECK(fits("a*b*c", "a-b-b-c"));
  CHECK_FALSE(fits("a*b*c", "a-c-b"));
  CHECK(fits("rea?", "read"));
  CHECK_FALSE(fits("read?", "read"));
  CHECK(fits("?t?", "\xc3\xa9t\xc3\xa9"));
  CHECK(fits("*?", "\xc3\xa9"));
  CHECK_FALSE(fits("", "x"));
  CHECK(fits("", ""));
}

TEST_CASE("a name fits as it is printed") {
  CHECK(fits("w[1]", "w[1]"));
  CHECK_FALSE(fits("w[1]", "w1"));
  CHECK(fits("/ra\\x2dtest.slice", "/ra\\x2dtest.slice"));
  CHECK(fits("*\\x2d*", "/ra\\x2dtest.slice"));
  CHECK(fits("operator*", "operator[](int)"));
}

TEST_CASE("a backslash takes a sign as it is") {
  CHECK(fits("a\\*", "a*"));
  CHECK_FALSE(fits("a\\*", "ab"));
  CHECK(fits("a\\?\\[\\\\*", "a?[\\x"));
  CHECK(fits("a\\,b", "a,b"));
  CHECK(fits("a,b", "a,b"));
}

TEST_CASE("commas divide a list, but not behind a backslash") {
  using List = std::vector<std::string>;
  CHECK(split_patterns("a") == List{"a"});
  CHECK(split_patterns("a,b*,,") == List{"a", "b*", "", ""});
  CHECK(split_patterns("a\\,b,c\\\\,d\\") == List{"a\\,b", "c\\\\", "d\\"});
}

TEST_CASE("a pattern without signs is a text, with an asterisk at its end a beginning") {
  const auto is = [](const std::string& pattern, const std::string& text, bool is_beginning) {
    const auto means = text_or_beginning(pattern);
    return means && means->text == text && means->is_beginning == is_beginning;
  };
  CHECK(is("nginx", "nginx", false));
  CHECK(is("nginx*", "nginx", true));
  CHECK(is("w\\*", "w*", false));
  CHECK(is("w\\**", "w*", true));
  CHECK(is("a\\,b\\\\", "a,b\\", false));
  CHECK(is("w[1]\\x", "w[1]\\x", false));
  CHECK_FALSE(text_or_beginning("a*b"));
  CHECK_FALSE(text_or_beginning("a?"));
}

TEST_CASE("what a name fits, it fits when both are cut") {
  CHECK(pattern_of_cut("nginx", 15) == "nginx");
  CHECK(pattern_of_cut("nginx*", 15) == "nginx*");
  CHECK(pattern_of_cut("chromium-headless-shell", 15) == "chromium-headle");
  CHECK(pattern_of_cut("chromium-headless-*", 15) == "chromium-headle");
  CHECK(pattern_of_cut("abc\\,d", 4) == "abc\\,");
  CHECK(pattern_of_cut("abc\\,d", 3) == "abc");
}

}  // namespace
}  // namespace kutrace
