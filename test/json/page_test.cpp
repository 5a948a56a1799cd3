// SPDX-License-Identifier: BSD-3-Clause
// Finding the span JSON in a page.
#include <catch2/catch.hpp>

#include "read/span_json/html_extract.h"
#include "read_spans.h"

namespace kutrace::test {
namespace {

constexpr const char* kSpan =
    "[ 1.00000000, 0.00000100, 0, 7, 0, 65543, 0, 0, 0, \"it's \\\"me\\\".7\"], ";

TEST_CASE("the JSON of a page is found in place, apostrophes included") {
  const std::string page =
      "<html><script>var myString = 'no';</script>\n<!-- selfcontained1 -->\n<script>\n"
      "var myString = '" +
      json_of(kSpan) +
      "';\ndata = JSON.parse(myString);</script>\n"
      "<!-- selfcontained2 -->\n</html>";
  const auto json = read::find_embedded_json(page, "page.html");
  REQUIRE(json);
  CHECK(json->text.front() == '{');
  CHECK(page.substr(json->offset, 1) == "{");
  CHECK(json->text.data() == page.data() + json->offset);
  Replay r;
  read_json(json->text, r);
  CHECK(r.timeline(0) == std::vector<std::string>{"user 1000000000+1000 it's \"me\""});
}

TEST_CASE("pages without span JSON say what they are") {
  const auto sentence = [](const std::string& page) {
    const auto json = read::find_embedded_json(page, "page.html");
    REQUIRE_FALSE(json);
    return json.error().sentence;
  };
  CHECK(sentence("<html></html>").find("none of KUtrace's") != std::string::npos);
  CHECK(sentence("<!-- selfcontained1 -->").find("without any data") != std::string::npos);
}

}  // namespace
}  // namespace kutrace::test
