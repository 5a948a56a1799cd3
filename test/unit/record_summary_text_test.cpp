// SPDX-License-Identifier: BSD-3-Clause
// What is said at the end of a recording.
#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>
#include <string>

#include "record/run/summary_text.h"

using namespace kutrace;

TEST_CASE("one of everything is not told as many") {
  record::Summary summary;
  summary.tally.by_cpu[0] = 1;
  summary.tally.transitions = 1;
  summary.lost = 1;
  summary.uncounted_losses = 1;
  summary.unseen_switches = 1;
  summary.cpus = 1;
  summary.cost_percent = 0.1;
  summary.seconds = 1;
  summary.kept_seconds = 1;
  const std::regex wrong("(^|[^0-9.])1 (unseen switches|entries|events|times|CPUs)");
  const auto notes = record::summary_text(summary, "t.raw");
  CHECK(notes.size() >= 6);
  for (const record::Note& note : notes) {
    CAPTURE(note.text);
    CHECK_FALSE(std::regex_search(note.text, wrong));
  }
}

// A flight recorder that ran for ten minutes and kept the last twenty seconds.
TEST_CASE("rates are of the time that the file holds") {
  record::Summary summary;
  summary.tally.by_cpu[0] = 2000;
  summary.tally.transitions = 2000;
  summary.seconds = 600;
  summary.kept_seconds = 20;
  const auto notes = record::summary_text(summary, "t.raw");
  CHECK(notes.front().text == "CPU 0: 2,000 events, 100 per second");
  CHECK(notes.back().text == "t.raw: 2,000 events in the last 20.000 of 600.000 s, 0 bytes");
}

TEST_CASE("a filter that let no thread pass is a warning") {
  record::Summary summary;
  const auto warns = [&] {
    const auto notes = record::summary_text(summary, "t.raw");
    return std::ranges::any_of(notes, [](const record::Note& note) {
      return note.is_warning && note.text.find("names nosuch") != std::string::npos;
    });
  };
  CHECK(!warns());
  summary.vain_filter = "names nosuch";
  CHECK(warns());
}
