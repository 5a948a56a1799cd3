// SPDX-License-Identifier: BSD-3-Clause
// Programs on this machine whose slow call has a known reason: `why` names it first, and its causes
// add up to the call.
#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "live/live_support.h"

namespace kutrace::live {

namespace {

struct Planted {
  const char* act;
  const char* call;
  std::vector<std::string> words;  // all in the first cause
};

const std::vector<Planted> kPlanted = {
    {"lock", "futex", {"it waited for a lock or thread, and holder.", " slept in clock_nanosleep"}},
    {"hog", "read", {"it was ready, and CPU 0 ran hog."}},
    {"disk", "fsync", {"waited for the disk"}},
    {"faults", "read", {"it was on a CPU in page_fault"}},
    {"inversion",
     "futex",
     {"it waited for a lock or thread, and low.", " was ready, and CPU 0 ran middle."}},
    {"server",
     "recvfrom",
     {"it waited for a message on a socket, and server.", " ran its own code"}},
};

struct Cause {
  std::int64_t ns = 0;
  std::string text;
};

// What stands behind `key` in the JSON, from `at` on.
std::string value_of(const std::string& json, const std::string& key, std::size_t at = 0) {
  const std::size_t begin = json.find("\"" + key + "\":", at) + key.size() + 3;
  const bool is_text = json[begin] == '"';
  return json.substr(
      begin + (is_text ? 1 : 0),
      json.find_first_of(is_text ? "\"" : ",}", begin + 1) - begin - (is_text ? 1 : 0));
}

std::vector<Cause> causes_of(const std::string& json) {
  std::vector<Cause> causes;
  const std::size_t end = json.find("\"path\":");
  for (std::size_t at = json.find("{\"cause\":"); at < end; at = json.find("{\"cause\":", at + 1)) {
    causes.push_back({std::stoll(value_of(json, "ns", at)), value_of(json, "text", at)});
  }
  return causes;
}

}  // namespace

TEST_CASE("what makes a call slow on this machine is named first", "[why]") {
  if (!can_record()) return;
  for (const Planted& planted : kPlanted) {
    const Folder folder;
    const std::string trace = folder.file("trace.raw");
    CAPTURE(planted.act);
    REQUIRE(shell("$KUTRACE record -o " + trace + " -- $CULPRIT " + planted.act).status == 0);
    require_law(trace);
    const std::string words = std::string(" --call ") + planted.call + " --name victim ";
    const Outcome answer = shell("$KUTRACE why --format json" + words + trace);
    CAPTURE(answer.out, answer.err);
    REQUIRE(answer.status == 0);
    const std::vector<Cause> causes = causes_of(answer.out);
    REQUIRE(!causes.empty());
    for (const std::string& part : planted.words) {
      CHECK_THAT(causes.front().text, Catch::Contains(part));
    }
    std::int64_t sum = 0;
    for (const Cause& cause : causes) sum += cause.ns;
    CHECK(sum == std::stoll(value_of(answer.out, "duration_ns")));
  }
}

}  // namespace kutrace::live
