// SPDX-License-Identifier: BSD-3-Clause
// kutrace mark: marks of shell scripts, as programs make them with kutrace/mark.h.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/log.h"
#include "kutrace/mark.h"
#include "model/mark_label.h"
#include "record/run/child.h"
#include "record/run/stop_signal.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Puts a mark into every trace that is being recorded; otherwise does nothing. A leading / ends what the
label began. With a command, the begin and the end of the command are marked, and the status is that
of the command.

Examples:
  kutrace record -- sh -c 'kutrace mark "cold start"; ./load; kutrace mark "/cold start"; ./work'
  kutrace mark build -- make -j8
  kutrace why --mark build trace.raw

Exit codes: 0 done; 2 usage; that of the command; 126 it cannot be executed; 127 it was not found.)";

struct Options {
  std::string label;
  std::optional<std::uint32_t> number;
  std::vector<std::string> command;
};

// One that comes back from a trace as it is, behind a slash, too.
Status check_label(const std::string& label) {
  if (label == "/")
    return fail(usage_error("'/' ends nothing").with_hint("/LABEL ends what LABEL began"));
  if (!label.empty() && label.size() < KUTRACE_LABEL_BYTES && printable(label) == label) return {};
  return fail(
      usage_error(fmt::format("'{}' is not a label", printable(label)))
          .with_hint(fmt::format("one has 1 to {} bytes of UTF-8 without control characters",
                                 KUTRACE_LABEL_BYTES - 1)));
}

int cannot_start(const Error& why, int status) {
  log_error("{}", describe(why));
  return status;
}

// What ends the command ends this, too, but behind the mark.
Result<int> mark_around(const Options& options) {
  KUTRACE_TRY(check_label(options.label));
  int failure = 0;
  const Status found = record::find_command(options.command[0], failure);
  if (!found) return cannot_start(found.error(), failure);
  const record::StopSignal signals;  // those that come before the command are passed on, too
  kutrace_mark(options.label.c_str());
  auto child = record::Child::start(options.command, false, failure);
  std::optional<record::PassOnSignals> passing_on;
  if (child) passing_on.emplace(child->fd());
  const int status = child ? child->wait_status() : failure;
  kutrace_mark(end_of_label(options.label).c_str());
  if (!child) return cannot_start(child.error(), failure);
  return status;
}

Result<int> run(const Options& options) {
  kutrace_look();  // linked statically, it would not be done by itself
  if (!options.command.empty()) return mark_around(options);
  if (options.label.empty() == !options.number)
    return fail(usage_error("a label or --number says which mark")
                    .with_hint("kutrace mark 'cold start', or kutrace mark --number 7"));
  if (options.number) {
    kutrace_mark_d(*options.number);
  } else {
    KUTRACE_TRY(check_label(options.label));
    kutrace_mark(options.label.c_str());
  }
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_mark(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command =
      program.add_command("mark", "Put a mark into the trace that is being recorded");
  command.footer(kFooter);
  command.add_option("label", options->label, "label: up to 1023 bytes of UTF-8");
  const Option number =
      command.add_option("--number", options->number, "a number instead of a label");
  exclude_each_other({command.option("label"), number});
  command.add_option("command", options->command, "command and its arguments, after --");
  command.runs(options, run);
}

}  // namespace kutrace::cli
