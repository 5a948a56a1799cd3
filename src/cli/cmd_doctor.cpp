// SPDX-License-Identifier: BSD-3-Clause
// kutrace doctor: which sources work here, what each sees and misses, what recording costs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "format/event_groups.h"
#include "record/ebpf/capability.h"
#include "record/ebpf/empty_programs.h"
#include "record/ebpf/load_error.h"
#include "record/module/module_checks.h"
#include "record/module/module_device.h"
#include "record/module/patched_calls.h"
#include "record/proc/lockdown.h"
#include "record/run/cost.h"
#include "record/run/open_source.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Checks what each source needs, says how to fix what is missing, and measures what recording costs.

Examples:
  sudo kutrace doctor                     every source
  kutrace doctor                          what this user may record
  sudo kutrace doctor | grep -i missing

Exit codes: 0 a source is usable; 4 none is.)";

constexpr std::uint32_t kBlocks = 256;
constexpr std::uint32_t kSampleHz = 100;

// Whether every check passed.
bool print_checks(const std::vector<record::Check>& checks, StandardOutput& out) {
  bool usable = true;
  for (const record::Check& check : checks) {
    usable = usable && check.answer.has_value();
    out.line(fmt::format("  {}: {}", check.question, check.answer ? "yes" : "NO"));
    if (!check.answer) out.line("    " + describe(check.answer.error()));
  }
  return usable;
}

void print_times(const char* how, record::CallTime with, record::CallTime without,
                 StandardOutput& out) {
  out.line(fmt::format("    getppid {}: {:.0f} ns ({:.2f} times)", how, with.ns,
                       with.ns / (without.ns > 0 ? without.ns : 1)));
}

void print_cost(const record::Cost& cost, StandardOutput& out) {
  out.line("  cost: " + cost.text());
  out.line(fmt::format("    getppid without: {:.0f} ns", cost.without.ns));
  print_times("recorded", cost.with, cost.without, out);
}

Status print_source(record::SourceKind kind, StandardOutput& out) {
  const record::CallTime without = record::time_one_call();
  record::SourceOptions options;
  options.blocks = kBlocks;
  options.sample_hz = kSampleHz;
  options.groups.set(EventGroup::kSamples, true);
  KUTRACE_ASSIGN(const auto source, record::open_source_of(kind, options));
  const std::vector<std::string> unseen = source->unseen();
  out.line(unseen.empty() ? "  sees all that it is asked for"
                          : fmt::format("  cannot see: {}", fmt::join(unseen, "; ")));
  KUTRACE_ASSIGN(const record::Cost cost, record::measure_cost(*source, without));
  print_cost(cost, out);
  return {};
}

Status print_ebpf(StandardOutput& out) {
  KUTRACE_TRY(print_source(record::SourceKind::kEbpf, out));
  KUTRACE_ASSIGN(const record::CallTime empty, record::time_with_empty_programs());
  print_times("with empty programs", empty, record::time_one_call(), out);
  return {};
}

// Prints a source; whether it can be used.
bool explain(const char* title, const std::vector<record::Check>& checks,
             const std::function<Status(StandardOutput&)>& details, StandardOutput& out) {
  out.line(title);
  if (!print_checks(checks, out)) return false;
  const Status printed = details(out);
  if (printed) return true;
  Error error = printed.error();
  if (error.hint == record::kAskDoctor) error.hint.clear();
  out.line("  " + describe(error));
  return false;
}

Result<std::vector<kutrace_hook_info>> module_hooks() {
  KUTRACE_ASSIGN(const record::ModuleDevice device, record::ModuleDevice::open());
  return device.hooks();
}

// Whatever the source is.
void print_groups(StandardOutput& out) {
  const std::vector<std::string> names = EventGroups::others().names();
  out.line(fmt::format(
      "{} groups of events are off by default; all of them: kutrace record --events +{}",
      names.size(), fmt::join(names, ",+")));
}

// Not a source of its own: what the module does in a patched kernel.
void print_patch(StandardOutput& out) {
  out.line("kernel patch:");
  const auto hooks = module_hooks();
  if (!hooks)
    out.line("  not known: the module can tell, when it is loaded");
  else if (record::patched_calls(*hooks).empty())
    out.line("  none: the module uses tracepoints; kpatch/README.md has what costs least");
  else
    out.line("  hooks: " + record::hooks_text(*hooks));
}

Result<int> run() {
  StandardOutput out;
  print_patch(out);
  const bool module = explain(
      "source module:", record::module_checks(),
      [](StandardOutput& to) { return print_source(record::SourceKind::kModule, to); }, out);
  const bool ebpf = explain("source ebpf:", record::ebpf_checks(), print_ebpf, out);
  print_groups(out);
  out.line("lockdown: " + record::lockdown_mode());
  out.line(module ? "record uses: module"
           : ebpf ? "record uses: ebpf"
                  : "record cannot be used here");
  KUTRACE_TRY(out.finish());
  return static_cast<int>(module || ebpf ? ExitCode::kDone : ExitCode::kHost);
}

}  // namespace

void add_doctor(const Command& program) {
  const Command command = program.add_command("doctor", "Show which sources work on this machine");
  command.footer(kFooter);
  command.runs([] { return run(); });
}

}  // namespace kutrace::cli
