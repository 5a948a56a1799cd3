// SPDX-License-Identifier: BSD-3-Clause
// The program: parses the command line, runs one subcommand, prints its error, sets the exit code.
#ifdef KUTRACE_STATIC
#include <nss.h>
#endif

#include <cstdlib>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/first_word.h"
#include "cli/log.h"
#include "cli/output.h"
#include "cli/standard_error.h"
#include "cli/standard_streams.h"
#include "cli/version.h"
#include "files/invoking_user.h"
#include "record/run/stop_signal.h"

namespace kutrace::cli {

ExitCode exit_code_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return ExitCode::kUsage;
    case ErrorKind::kInput:
      return ExitCode::kInput;
    case ErrorKind::kHost:
      return ExitCode::kHost;
    case ErrorKind::kOutput:
      return ExitCode::kOutput;
    case ErrorKind::kInternal:
      return ExitCode::kInternal;
  }
  return ExitCode::kInternal;
}

namespace {

constexpr const char* kFooter = R"(
Typical use:
  kutrace record -o trace.raw -- ./server --once   record the whole machine while it runs
  kutrace report trace.raw -o out.html             one page, opens offline in any browser
  kutrace check trace.raw                          does every nanosecond add up?

Exit codes: 0 done; 1 done, with findings; 2 usage; 3 input unusable; 4 this host cannot;
5 output cannot be written; 6 too little memory; 70 a bug; 130 interrupted. `record` passes its
command's status on.
More: kutrace help COMMAND; kutrace help questions, times, filters, formats or exit-codes.)";

int failed(const Error& error) {
  log_error("{}", describe(error));
  return static_cast<int>(exit_code_for(error.kind));
}

// What was asked of the program itself.
int told(const std::string& text) {
  StandardOutput out;
  out.write(text);
  const Status done = out.finish();
  return done ? 0 : failed(done.error());
}

int run_program(int argc, char** argv) {
  CommandLine line("Shows where every nanosecond of every CPU went.", kFooter, version_text());
  const Command program = line.program();
  add_record(program);
  add_control(program);
  add_daemon(program);
  add_flight(program);
  add_top(program);
  add_count(program);
  add_report(program);
  add_info(program);
  add_check(program);
  add_trim(program);
  add_coarsen(program);
  add_profile(program);
  add_stat(program);
  add_syscalls(program);
  add_why(program);
  add_blame(program);
  add_locks(program);
  add_diff(program);
  add_query(program);
  add_symbolize(program);
  add_spans(program);
  add_svg(program);
  add_export(program);
  add_raw(program);
  add_align(program);
  add_pcap(program);
  add_dump(program);
  add_hexdump(program);
  add_mark(program);
  add_overhead(program);
  add_doctor(program);
  const std::vector<std::string> typed(argv + 1, argv + argc);
  if (!typed.empty() && typed.front() == kCompleteVerb) {
    return told(line.completions(std::span(typed).subspan(1)));
  }
  if (const std::string_view topic = topic_asked_for(typed); !topic.empty()) {
    return told(std::string(topic));
  }
  std::vector<std::string> words = with_export_form(with_signed_words(without_help_verb(typed)));
  if (words.empty()) {
    write_standard_error(line.help());
    return static_cast<int>(ExitCode::kUsage);
  }
  if (const std::string wrong = wrong_command(typed, line.command_names()); !wrong.empty()) {
    log_error("{}", wrong);
    return static_cast<int>(ExitCode::kUsage);
  }
  const CommandLine::Wish wish = line.parse(std::move(words));
  if (wish.told) return told(*wish.told);
  if (!wish.run) return static_cast<int>(ExitCode::kUsage);
  if (const Status known = files::check_invoking_user(); !known) return failed(known.error());
  const Result<int> result = wish.run();
  return result ? *result : failed(result.error());
}

int found_bug(const std::exception& bug) {
  log_critical("this is a bug: {}\n  hint: please report it, with the trace if you may",
               bug.what());
  return static_cast<int>(ExitCode::kInternal);
}

int too_little_memory() {
  log_error(
      "there is too little memory\n  hint: a part of a trace needs less (kutrace trim), and so "
      "does a "
      "recording with a smaller --buffer-mb");
  return static_cast<int>(ExitCode::kMemory);
}

// A thread needs memory, too.
bool is_about_memory(const std::system_error& error) {
  return error.code() == std::errc::resource_unavailable_try_again ||
         error.code() == std::errc::not_enough_memory;
}

}  // namespace
}  // namespace kutrace::cli

int main(int argc, char** argv) {
  kutrace::cli::hold_standard_streams();
  kutrace::cli::set_up_log();
  kutrace::record::end_orderly_on_signals();
#ifdef KUTRACE_STATIC
  // Modules of the name service are libraries of another libc than the one in this file.
  __nss_configure_lookup("passwd", "files");
  __nss_configure_lookup("group", "files");
  __nss_configure_lookup("initgroups", "files");
#endif
  try {
    return kutrace::cli::run_program(argc, argv);
  } catch (const std::bad_alloc&) {
    return kutrace::cli::too_little_memory();
  } catch (const std::system_error& error) {
    if (kutrace::cli::is_about_memory(error)) return kutrace::cli::too_little_memory();
    return kutrace::cli::found_bug(error);
  } catch (const std::exception& bug) {
    return kutrace::cli::found_bug(bug);
  }
}
