// SPDX-License-Identifier: BSD-3-Clause
// Text forms of the hand-made traces against the expected ones beside this file:
//   kutrace-golden            compare; the actual text of a mismatch is left in the build directory
//   kutrace-golden --update   make the actual texts the expected ones
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include "emit/text/text_sink.h"
#include "format/raw_file.h"
#include "golden/golden_traces.h"
#include "reports/law_check.h"
#include "spans/rebuild.h"
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

int compare(const GoldenTrace& trace) {
  const fs::path expected = fs::path(KUTRACE_GOLDEN_DIR) / (trace.name + ".txt");
  const fs::path actual = fs::path(KUTRACE_ACTUAL_DIR) / (trace.name + ".actual.txt");
  const std::string text = text_of(trace);
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
  const auto traces = golden_traces();
  for (const GoldenTrace& trace : traces) {
    if (update) {
      write(fs::path(KUTRACE_GOLDEN_DIR) / (trace.name + ".txt"), text_of(trace));
    } else {
      different += compare(trace);
    }
  }
  std::cout << fmt::format("{} traces, {} different from what is expected\n", traces.size(),
                           different);
  return different == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kutrace::test

int main(int argc, char** argv) {
  return kutrace::test::run(argc > 1 && std::string_view(argv[1]) == "--update");
}
