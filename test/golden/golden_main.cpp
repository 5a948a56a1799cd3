// SPDX-License-Identifier: BSD-3-Clause
// Text forms of the hand-made traces, and what commands answer of traces with one culprit each,
// against the expected ones beside this file:
//   kutrace-golden            compare; the actual text of a mismatch is left in the build directory
//   kutrace-golden --update   make the actual texts the expected ones
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "emit/text/text_sink.h"
#include "format/raw_file.h"
#include "golden/golden_traces.h"
#include "reports/law_check.h"
#include "spans/rebuild.h"
#include "support/culprits.h"
#include "timeline/event_stream.h"

namespace kutrace::test {
namespace {

namespace fs = std::filesystem;

void add_counts(std::string& text, const char* title,
                const std::map<std::string, std::uint64_t>& counts) {
  for (const auto& [name, count] : counts) text += fmt::format("{} {} {}\n", title, name, count);
}

Status describe_trace(const GoldenTrace& trace, std::string& text) {
  KUTRACE_ASSIGN(const RawFile file,
                 RawFile::open(MappedFile::from_bytes(trace.bytes, trace.name)));
  KUTRACE_ASSIGN(const timeline::TraceLayout layout, timeline::lay_out(file));
  text += "events\n";
  timeline::EventStream(layout).run(
      [&](const timeline::Event& event) { text += emit::event_line(event) + "\n"; });
  text += "spans\n";
  NameTable names;
  reports::LawCheck law;
  emit::SpanText spans(names,
                       [&text](std::string_view line) { text += fmt::format("{}\n", line); });
  BothSinks both(law, spans);
  KUTRACE_ASSIGN(const TraceInfo info, spans::rebuild(file, names, both));
  text += fmt::format("recorded {} {}\n", info.begin, info.end);
  add_counts(text, "damage", info.counters.named(Severity::kDamage));
  add_counts(text, "repair", info.counters.named(Severity::kRepair));
  add_counts(text, "note", info.counters.named(Severity::kNote));
  for (const LossRecord& loss : info.losses) {
    text +=
        fmt::format("loss CPU {} {} {} reason {}\n", loss.cpu, loss.begin, loss.end, loss.reason);
  }
  for (const std::string& violation : law.report().violations.first) {
    text += fmt::format("VIOLATED {}\n", violation);
  }
  return {};
}

std::string text_of(const GoldenTrace& trace) {
  std::string text;
  if (const Status status = describe_trace(trace, text); !status) {
    text += fmt::format("error\n{}\n", describe(status.error()));
  }
  return text;
}

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

// What the program prints of a trace in the working directory, and how it ends.
std::string printed(const std::string& words) {
  const std::string command = fmt::format("{} {} 2>&1", KUTRACE_PROGRAM, words);
  std::string text = fmt::format("$ kutrace {}\n", words);
  FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) return text + "cannot be run\n";
  std::array<char, 4096> some{};
  while (const std::size_t got = std::fread(some.data(), 1, some.size(), output)) {
    text.append(some.data(), got);
  }
  const int status = pclose(output);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (!text.ends_with('\n')) text += '\n';
  return code == 0 ? text : text + fmt::format("exit code {}\n", code);
}

std::string answers_to(const GoldenTrace& trace, const std::string& call) {
  std::ofstream("trace.raw", std::ios::binary)
      .write(reinterpret_cast<const char*>(trace.bytes.data()),
             static_cast<std::streamsize>(trace.bytes.size()));
  std::string text;
  const std::vector<std::string> asked = {"stat",
                                          "stat --by thread",
                                          "syscalls",
                                          "syscalls --by thread",
                                          "blame",
                                          "blame --follow",
                                          "blame --by thread --top 1",
                                          "why",
                                          "why --call " + call,
                                          "why --slowest 50% --call '*'"};
  for (const std::string& words : asked) {
    text += printed(words + " trace.raw") + "\n";
    text += printed(words + " --format json trace.raw") + "\n";
  }
  return text;
}

int compare(const std::string& name, const std::string& text) {
  const fs::path expected = fs::path(KUTRACE_GOLDEN_DIR) / (name + ".txt");
  const fs::path actual = fs::path(KUTRACE_ACTUAL_DIR) / (name + ".actual.txt");
  if (fs::exists(expected) && read(expected) == text) {
    fs::remove(actual);
    return 0;
  }
  write(actual, text);
  std::cout << fmt::format("differs: diff {} {}\n", expected.string(), actual.string());
  return 1;
}

int run(bool update) {
  int different = 0;
  std::size_t count = 0;
  const auto look = [&](const std::string& name, const std::string& text) {
    ++count;
    if (update) {
      write(fs::path(KUTRACE_GOLDEN_DIR) / (name + ".txt"), text);
    } else {
      different += compare(name, text);
    }
  };
  for (const GoldenTrace& trace : golden_traces()) look(trace.name, text_of(trace));
  const fs::path folder = fs::path(KUTRACE_ACTUAL_DIR) / "answers";
  fs::create_directories(folder);
  fs::current_path(folder);
  for (const Culprit& culprit : culprits()) {
    std::string name = culprit.name;
    if (name.ends_with("storm")) continue;  // a way of thousands of steps
    std::erase(name, '\'');
    std::ranges::replace(name, ' ', '_');
    TraceBuilder trace = culprit.trace();
    look("answers/" + name, answers_to({name, trace.bytes(kCulpritStop)}, culprit.call));
  }
  std::cout << fmt::format("{} texts, {} different from what is expected\n", count, different);
  return different == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kutrace::test

int main(int argc, char** argv) {
  return kutrace::test::run(argc > 1 && std::string_view(argv[1]) == "--update");
}
