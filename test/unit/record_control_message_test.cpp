// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

// What is said to a background recorder, and back.
#include "record/daemon/control_message.h"

using namespace kutrace;

TEST_CASE("a reply arrives as it was sent, an error as one sentence and its hint") {
  record::Reply sent;
  sent.error = output_error("cannot create it").with_file("/none/x").with_hint("another place");
  sent.notes = {{false, "12 events"}, {true, "3 lost"}};
  sent.answer = "2 trace blocks used";
  const auto got = record::decode_reply(record::encode(sent));
  REQUIRE(got);
  REQUIRE(got->error);
  CHECK(got->error->kind == ErrorKind::kOutput);
  CHECK(got->error->sentence == "/none/x: cannot create it");
  CHECK(got->error->hint == "another place");
  REQUIRE(got->notes.size() == 2);
  CHECK(got->notes[1].is_warning);
  CHECK(got->notes[1].text == "3 lost");
  CHECK(got->answer == sent.answer);
}

TEST_CASE("a reply without its end is none: whoever spoke is gone") {
  const std::string whole =
      record::encode(record::Reply{.error = {}, .notes = {{false, "a"}}, .answer = "b"});
  for (std::size_t i = 0; i < whole.size(); ++i)
    CHECK_FALSE(record::decode_reply(whole.substr(0, i)));
  CHECK(record::decode_reply(record::encode(record::Reply{})));
}

TEST_CASE("a line of a reply stays one line, and a strange one is a bug that is told") {
  const auto got = record::decode_reply(
      record::encode(record::Reply{.error = {}, .notes = {{true, "a\nb"}}, .answer = {}}));
  REQUIRE(got);
  CHECK(got->notes.at(0).text == "a b");
  CHECK(record::decode_reply("xyz\n.\n")->error->kind == ErrorKind::kInternal);
}
