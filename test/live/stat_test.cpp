// SPDX-License-Identifier: BSD-3-Clause
// Where time went of a process that the kernel kept count of, too: /proc, read as its last act,
// says the same of its switches and of its time on a CPU, but for what it does afterwards.
#include <catch2/catch.hpp>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "live/live_support.h"

namespace kutrace::live {

namespace {

// Sleeps, and uses the CPU in between; at its end, what /proc has of it.
constexpr const char* kProgram =
    "python3 -c '"
    "import time, os\n"
    "for i in range(100):\n"
    "    time.sleep(0.001)\n"
    "    sum(range(20000))\n"
    "status = open(\"/proc/self/status\").read().split()\n"
    "told = open(\"/proc/self/schedstat\").read().split()\n"
    "print(\"pid=%d\" % os.getpid())\n"
    "print(\"voluntary=\" + status[status.index(\"voluntary_ctxt_switches:\") + 1])\n"
    "print(\"involuntary=\" + status[status.index(\"nonvoluntary_ctxt_switches:\") + 1])\n"
    "print(\"run=\" + told[0])'";

const std::string kHidden = "repair: unseen_switch ";

// Fields of one thread's line, by the names in the head.
std::map<std::string, std::string> line_of(const std::string& csv, const std::string& pid) {
  std::istringstream lines(csv);
  std::vector<std::string> head;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
    if (head.empty()) head = fields;
    if (fields.size() < 3 || fields[2] != pid) continue;
    std::map<std::string, std::string> found;
    for (std::size_t i = 0; i < fields.size(); ++i) found[head[i]] = fields[i];
    return found;
  }
  return {};
}

// Switches that the kernel hid from the recorder and the reader found missing: some virtual
// machines keep threads of their own out of every tracer's sight.
std::int64_t hidden_switches(const std::string& trace) {
  const std::string found = shell("$KUTRACE check " + trace).out;
  const std::size_t at = found.find(kHidden);
  return at == std::string::npos ? 0 : std::stoll(found.substr(at + kHidden.size()));
}

}  // namespace

TEST_CASE("switches and time on a CPU are those that the kernel counted", "[stat]") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("stat.raw");
  const Outcome outcome = shell("$KUTRACE record -o " + trace + " -- " + kProgram);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto told = values(outcome.out);
  const std::string pid = std::to_string(told.at("pid"));
  const Outcome summed = shell("$KUTRACE stat --by thread --format csv --pid " + pid + " " + trace);
  REQUIRE(summed.status == 0);
  auto row = line_of(summed.out, pid);
  REQUIRE_FALSE(row.empty());
  constexpr std::int64_t kAfterwards = 5;  // switches between the reading and the end
  const std::int64_t hidden = hidden_switches(trace);
  const std::int64_t voluntary = std::stoll(row["voluntary"]);
  const std::int64_t involuntary = std::stoll(row["involuntary"]);
  CHECK(told.at("voluntary") >= 100);
  CHECK(voluntary >= told.at("voluntary") - hidden);
  CHECK(voluntary <= told.at("voluntary") + kAfterwards);
  CHECK(involuntary >= told.at("involuntary") - hidden);
  CHECK(involuntary <= told.at("involuntary") + kAfterwards);
  const std::int64_t executing = std::stoll(row["executing_ns"]);
  CHECK(executing >= told.at("run"));
  CHECK(executing == std::stoll(row["user_ns"]) + std::stoll(row["kernel_ns"]) +
                         std::stoll(row["interrupts_ns"]));
}

}  // namespace kutrace::live
