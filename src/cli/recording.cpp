// SPDX-License-Identifier: BSD-3-Clause
// Notes go to standard error.
#include "cli/recording.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/log.h"
#include "files/small_file.h"
#include "record/run/open_source.h"

namespace kutrace::cli {

namespace {

record::SourceKind tell_source(const record::SourceChoice& choice) {
  log_info("source: {} ({})", record::name_of(choice.kind), choice.why);
  return choice.kind;
}

}  // namespace

void add_source_options(const Command& command, std::string& source, std::string& events,
                        std::vector<std::string> sources) {
  command.add_option("--source", source, "which source records")
      .one_of(std::move(sources))
      .shows_default();
  command.add_option("--events", events,
                     "groups: 'a,b' only these; '-a,+b' the default without a, with b");
}

record::SourceKind choose_source(const std::string& wanted) {
  record::SourceChoice choice{record::SourceKind::kEbpf, "as asked for"};
  if (wanted == "auto") choice = record::best_source(false);
  if (wanted == "module") choice.kind = record::SourceKind::kModule;
  return tell_source(choice);
}

record::SourceKind choose_source(const std::string& wanted, const std::string& daemon_socket,
                                 bool can_join) {
  if (wanted == "daemon") return tell_source({record::SourceKind::kDaemon, "as asked for"});
  if (wanted != "auto") return choose_source(wanted);
  return tell_source(record::best_source_for_user(daemon_socket, can_join));
}

std::string own_command_line() {
  std::string line = files::read_text("/proc/self/cmdline");
  std::ranges::replace(line, '\0', ' ');
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

bool ends_in_separator() {
  return files::read_text("/proc/self/cmdline").ends_with(std::string_view("\0--\0", 4));
}

Result<std::uint32_t> check_buffer(std::optional<std::uint32_t> megabytes) {
  if (!megabytes) return 0;
  if (*megabytes == 0) return fail(usage_error("--buffer-mb: 0 has no room for any event"));
  const auto pages = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  const std::uint64_t memory = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) >> 20;
  if (*megabytes <= memory / 2) return *megabytes;
  return fail(usage_error(fmt::format("--buffer-mb: {} MB are more than half of the memory, {} MB",
                                      *megabytes, memory)));
}

void print_notes(const std::vector<record::Note>& notes) {
  for (const record::Note& note : notes)
    write_log(note.is_warning ? LogLevel::kWarn : LogLevel::kInfo, "{}", note.text);
}

}  // namespace kutrace::cli
