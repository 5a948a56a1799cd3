// SPDX-License-Identifier: BSD-3-Clause
// Text of unknown origin, sizes, numbers, labels.
#include <catch2/catch.hpp>
#include <string>

#include "base/shell_word.h"
#include "base/text.h"

namespace kutrace {
namespace {

TEST_CASE("valid UTF-8 is shown as it is") {
  for (const char* text :
       {"plain", "Grüße", "\u20ac", "\U0001f600", "\"quotes\\", "</script>", ""}) {
    CHECK(printable(text) == text);
  }
}

TEST_CASE("a file's name is one word of a shell's command") {
  CHECK(shell_word("/tmp/trace-1.raw") == "/tmp/trace-1.raw");
  CHECK(shell_word("a trace.raw") == "'a trace.raw'");
  CHECK(shell_word("it's") == R"('it'\''s')");
  CHECK(shell_word("") == "''");
}

TEST_CASE("control characters and bytes that are no UTF-8 are shown by number") {
  CHECK(printable("a\nb\tc\x7f") == "a\\12b\\11c\\177");
  CHECK(printable(std::string("a\0b", 3)) == "a\\0b");
  CHECK(printable("\xff\xfe") == "\\377\\376");
  CHECK(printable("\xff"
                  "1") == "\\3771");
  CHECK(printable(std::string("\0"
                              "1",
                              2)) == "\\0001");
  CHECK(printable("\xc3(") == "\\303(");
  CHECK(printable("\xe2\x82") == "\\342\\202");
  CHECK(printable("\xf0\x9f\x98") == "\\360\\237\\230");
}

TEST_CASE("what controls a terminal or the direction of text is shown by number") {
  CHECK(printable("a\u009b31mb") == "a\\302\\23331mb");
  CHECK(printable("\u00a0") == "\u00a0");
  CHECK(printable("exe\u202etxt") == "exe\\342\\200\\256txt");
  for (const char* control : {"\u061c", "\u200e", "\u2028", "\u2066", "\u2069"}) {
    CHECK(printable(control).starts_with("\\3"));
  }
  CHECK(printable("\u200d\u2030") == "\u200d\u2030");
}

TEST_CASE("overlong forms, surrogates and numbers beyond Unicode are no UTF-8") {
  CHECK(printable("\xc0\xaf") == "\\300\\257");
  CHECK(printable("\xe0\x80\xaf") == "\\340\\200\\257");
  CHECK(printable("\xed\xa0\x80") == "\\355\\240\\200");
  CHECK(printable("\xf0\x80\x80\x80") == "\\360\\200\\200\\200");
  CHECK(printable("\xf4\x90\x80\x80") == "\\364\\220\\200\\200");
  CHECK(printable("\xf5\x80\x80\x80") == "\\365\\200\\200\\200");
}

TEST_CASE("what was made printable stays as it is") {
  std::string all;
  for (int c = 0; c < 256; ++c) all.push_back(static_cast<char>(c));
  const std::string once = printable(all);
  CHECK(printable(once) == once);
}

TEST_CASE("JSON strings escape quotes, backslashes and control characters") {
  CHECK(json_escaped("a\"b\\c") == "a\\\"b\\\\c");
  CHECK(json_escaped("\n\x01") == "\\u000a\\u0001");
  CHECK(json_escaped("it's \u20ac") == "it's \u20ac");
}

TEST_CASE("numbers are grouped by thousands") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(12'345'678) == "12,345,678");
  CHECK(grouped(18'446'744'073'709'551'615u) == "18,446,744,073,709,551,615");
}

TEST_CASE("sizes take the largest unit that fits") {
  CHECK(byte_size(0) == "0 bytes");
  CHECK(byte_size(1023) == "1023 bytes");
  CHECK(byte_size(1536) == "1.5 KB");
  CHECK(byte_size(std::uint64_t{64} << 20) == "64.0 MB");
  CHECK(byte_size(~std::uint64_t{0}) == "16777216.0 TB");
}

TEST_CASE("labels of marks are decoded from base 40") {
  CHECK(base40_text(0) == "");
  CHECK(base40_text(1) == "a");
  CHECK(base40_text(27) == "0");
  CHECK(base40_text(39 + 40 * 1) == "/a");
  CHECK(base40_text(8 + 40 * (5 + 40 * (12 + 40 * (12 + 40 * 15)))) == "hello");
  CHECK(base40_text(0xffff'ffff).size() <= 7);
}

}  // namespace
}  // namespace kutrace
