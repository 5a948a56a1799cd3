// SPDX-License-Identifier: BSD-3-Clause
// Running the program on the real machine and reading back what it recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kutrace::live {

struct Outcome {
  int status = 0;  // exit code, 128 + signal
  std::string out;
  std::string err;
};

// Runs a shell command line in which $KUTRACE and $PATTERN name the programs.
Outcome shell(const std::string& command);

std::string read_file(const std::string& path);

// Says why a test is not run; fails it in CI.
void skip(const std::string& reason);
// Whether recording is possible; skips if not.
bool can_record();

// A folder that is removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// key=value lines.
std::map<std::string, std::int64_t> values(const std::string& text);

// One line of `kutrace dump --stage events`, with the thread that ran on its CPU.
struct Seen {
  std::int64_t time_ns = 0;
  std::uint32_t cpu = 0;
  std::int64_t pid = -1;  // -1: not known yet
  std::uint32_t event = 0;
  std::uint64_t arg = 0;
  std::int64_t result = 0;
  std::int64_t duration_ns = -1;  // of a folded call, else -1
};
std::vector<Seen> events_of(const std::string& trace);

// One line of `kutrace dump --stage spans`.
struct SeenSpan {
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::int64_t pid = -1;
  std::string kind;
  std::uint32_t event = 0;
  std::int64_t arg = 0;
};
std::vector<SeenSpan> spans_of(const std::string& trace);

// CLOCK_MONOTONIC of the start of a trace.
std::int64_t start_ns(const std::string& trace);

// Fails the test unless `kutrace check` finds that the law holds.
void require_law(const std::string& trace);

}  // namespace kutrace::live
