// SPDX-License-Identifier: BSD-3-Clause
// Shell commands and listings.
#include "live/live_support.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

namespace kutrace::live {

namespace {

constexpr std::uint32_t kSwitch = 0x200;
constexpr std::uint32_t kBlockStart = 0x1000;

std::int64_t field_after(const std::string& line, const std::string& key, std::int64_t otherwise) {
  const std::size_t at = line.find(key);
  return at == std::string::npos ? otherwise
                                 : std::strtoll(line.c_str() + at + key.size(), nullptr, 10);
}

// time cpu number name arg ...; a line about the whole trace has no CPU.
bool parse_event(const std::string& line, Seen& seen) {
  std::istringstream in(line);
  std::string cpu;
  std::string name;
  in >> seen.time_ns >> cpu >> std::hex >> seen.event >> std::dec >> name >> seen.arg;
  if (!in || cpu == "-") return false;
  seen.cpu = static_cast<std::uint32_t>(std::stoul(cpu));
  seen.result = field_after(line, " ret=", 0);
  seen.duration_ns = field_after(line, " dur=", -1);
  return true;
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Outcome shell(const std::string& command) {
  const Folder folder;
  setenv("KUTRACE", KUTRACE_PROGRAM, 1);
  setenv("PATTERN", KUTRACE_PATTERN, 1);
  setenv("ACTS", KUTRACE_ACTS, 1);
  setenv("CALLS", KUTRACE_TEN_CALLS, 1);
  setenv("REUSE", KUTRACE_REUSE, 1);
  setenv("CULPRIT", KUTRACE_CULPRIT, 1);
  setenv("PLANTED", KUTRACE_PLANTED, 1);
  setenv("SPIN", KUTRACE_SPIN, 1);
  setenv("SPIN_OTHER", KUTRACE_SPIN_OTHER, 1);
  setenv("MADE", KUTRACE_MADE, 1);
  setenv("REQUEST", KUTRACE_REQUEST, 1);
  setenv("FRAME", KUTRACE_FRAME, 1);
  const std::string line =
      "( " + command + " ) >" + folder.file("out") + " 2>" + folder.file("err");
  const int status = std::system(line.c_str());
  Outcome outcome;
  outcome.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  outcome.out = read_file(folder.file("out"));
  outcome.err = read_file(folder.file("err"));
  return outcome;
}

bool can_record() {
  static const Outcome doctor = shell("$KUTRACE doctor");
  if (doctor.status == 0) return true;
  skip("recording is not possible here:\n" + doctor.out + doctor.err);
  return false;
}

void skip(const std::string& reason) {
  const char* ci = std::getenv("CI");
  if (ci != nullptr && std::string(ci) == "true") FAIL(reason);
  std::cerr << "SKIPPED, " << reason;
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "kutrace-live-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::map<std::string, std::int64_t> values(const std::string& text) {
  std::map<std::string, std::int64_t> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (const std::size_t equals = line.find('='); equals != std::string::npos)
      result[line.substr(0, equals)] = std::strtoll(line.c_str() + equals + 1, nullptr, 10);
  return result;
}

std::vector<Seen> events_of(const std::string& trace) {
  const Outcome dump = shell("$KUTRACE dump --stage events " + trace);
  REQUIRE(dump.status == 0);
  std::vector<Seen> events;
  std::map<std::uint32_t, std::int64_t> running;
  std::istringstream in(dump.out);
  for (std::string line; std::getline(in, line);) {
    Seen seen;
    if (!parse_event(line, seen)) continue;
    const auto known = running.find(seen.cpu);
    seen.pid = known == running.end() ? -1 : known->second;
    if (seen.event == kSwitch || seen.event == kBlockStart)
      running[seen.cpu] = static_cast<std::int64_t>(seen.arg);
    events.push_back(seen);
  }
  return events;
}

std::vector<SeenSpan> spans_of(const std::string& trace) {
  const Outcome dump = shell("$KUTRACE dump --stage spans " + trace);
  REQUIRE(dump.status == 0);
  std::vector<SeenSpan> spans;
  std::istringstream lines(dump.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    SeenSpan span;
    std::string cpu;
    in >> span.start_ns >> span.duration_ns >> cpu >> span.pid >> span.kind >> std::hex >>
        span.event >> std::dec >> span.arg;
    if (!in.fail()) spans.push_back(span);
    // User code and idle have no argument.
    else if (!span.kind.empty())
      spans.push_back({span.start_ns, span.duration_ns, span.pid, span.kind, span.event, 0});
  }
  return spans;
}

std::int64_t start_ns(const std::string& trace) {
  const Outcome info = shell("$KUTRACE info " + trace);
  const std::string key = "start_monotonic_ns ";
  const std::size_t at = info.out.find(key);
  REQUIRE(at != std::string::npos);
  return std::strtoll(info.out.c_str() + at + key.size(), nullptr, 10);
}

void require_law(const std::string& trace) {
  const Outcome check = shell("$KUTRACE check " + trace);
  INFO(check.out << check.err);
  REQUIRE(check.status == 0);
}

}  // namespace kutrace::live
