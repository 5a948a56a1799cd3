// SPDX-License-Identifier: BSD-3-Clause
// Notes go to standard error.
#include "cli/recording.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "device/open_source.h"
#include "device/small_file.h"

namespace kutrace {

SourceKind choose_source(const std::string& wanted) {
  SourceChoice choice{SourceKind::kEbpf, "as asked for"};
  if (wanted == "auto") choice = best_source();
  if (wanted == "module") choice.kind = SourceKind::kModule;
  spdlog::info("source: {} ({})", name_of(choice.kind), choice.why);
  return choice.kind;
}

std::string own_command_line() {
  std::string line = read_text("/proc/self/cmdline");
  std::ranges::replace(line, '\0', ' ');
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

void print_notes(const std::vector<Note>& notes) {
  for (const Note& note : notes)
    spdlog::log(note.is_warning ? spdlog::level::warn : spdlog::level::info, "{}", note.text);
}

}  // namespace kutrace
