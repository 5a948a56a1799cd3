// SPDX-License-Identifier: BSD-3-Clause
// The filter's words as those of raw::ProcessChoice.
#include "cli/late_filter.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "cli/raw_output.h"
#include "files/output_place.h"
#include "raw/raw_cut.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

namespace {

raw::ProcessChoice choice_of(const record::ThreadFilter& filter, Pid command) {
  raw::ProcessChoice choice;
  for (const std::uint32_t process : filter.processes)
    choice.processes.insert(static_cast<Pid>(process));
  choice.names = filter.kept_names();
  choice.follow = filter.follow;
  if (filter.follow && !filter.has_criteria()) choice.processes.insert(command);
  return choice;
}

std::string text_of(const record::ThreadFilter& filter, bool own_only) {
  record::ThreadFilter told = filter;
  if (own_only) told.user = geteuid();
  return told.text();
}

Result<raw::RawSummary> write_chosen(const record::ThreadFilter& filter,
                                     const record::Summary& summary, const std::string& path) {
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(summary.path));
  const RawFile& raw = *input.raw();
  const auto make = [&](const raw::RawOutput& output) {
    return raw::choose_processes_raw(raw, choice_of(filter, summary.command),
                                     text_of(filter, summary.shows_own_only),
                                     record::kLeftOutByFilter, output);
  };
  return write_raw_file(path, raw.blocks().size(), make);
}

}  // namespace

// The file is an input until the other one is written, and no input is replaced.
void leave_out_others(const record::ThreadFilter& filter, record::Summary& summary) {
  std::error_code error;  // then it is no link
  const std::string real = std::filesystem::canonical(summary.path, error).string();
  const std::string place = error ? summary.path : real;
  const std::string path = files::unpredictable_name(place);
  const Result<raw::RawSummary> written = write_chosen(filter, summary, path);
  if (!written) {
    summary.failure = written.error();
  } else if (std::rename(path.c_str(), place.c_str()) != 0) {
    summary.failure = output_error(errno_text(errno)).with_file(summary.path);
    unlink(path.c_str());
  } else {
    summary.bytes = written->bytes;
    return;
  }
  summary.failure->hint = "the file has what all threads did; kutrace trim selects";
}

}  // namespace kutrace::cli
