// SPDX-License-Identifier: BSD-3-Clause
// What a trace lacks, as `kutrace info` says it.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "emit/text/info_text.h"

namespace kutrace {

namespace {

std::vector<std::string> losses_of(const TraceInfo& info) {
  std::vector<std::string> lines;
  const NameTable names;
  emit::info_text(info, names, [&](std::string_view line) {
    if (line.starts_with("loss")) lines.emplace_back(line);
  });
  return lines;
}

}  // namespace

TEST_CASE("of many losses the first are listed, and the others summed up by reason") {
  TraceInfo info;
  for (Ns i = 0; i < 40; ++i) {
    info.losses.push_back(
        {.cpu = 1, .begin = 10 * i, .end = 10 * i + 5, .entries = 2, .reason = 1});
  }
  CHECK(losses_of(info).size() == 40);
  for (Ns i = 40; i < 45; ++i) {
    info.losses.push_back({.cpu = 1, .begin = 1000 * i, .end = 1000 * i + 600, .reason = 9});
  }
  info.losses.push_back({.cpu = 0, .begin = 0, .end = 7000, .entries = 1, .reason = 3});
  const std::vector<std::string> lines = losses_of(info);
  REQUIRE(lines.size() == 42);
  CHECK(lines[39].starts_with("loss         CPU 1 from "));
  const auto says = [&](std::string_view text) {
    return lines[40].starts_with(text) || lines[41].starts_with(text);
  };
  CHECK(says("loss         and 5 more of 0.000003 s together, unseen switch"));
  CHECK(says("loss         and 1 more of 0.000007 s together, "));
}

}  // namespace kutrace
