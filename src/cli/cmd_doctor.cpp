// SPDX-License-Identifier: BSD-3-Clause
// kutrace doctor: which sources work here, what each sees and misses, what recording costs.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "device/capability.h"
#include "device/cost.h"
#include "device/ebpf_source.h"

namespace kutrace {

namespace {

constexpr const char* kFooter = R"(
Examples:
  sudo kutrace doctor        asks this kernel, and measures

Exit codes: 0 a source is usable; 4 none is.)";

constexpr std::uint32_t kBlocks = 256;
constexpr std::uint32_t kSampleHz = 100;

void explain_module(const char* name, const char* role, StandardOutput& out) {
  out.line(fmt::format("source {}: not usable", name));
  out.line(access("/dev/kutrace", F_OK) == 0
               ? "  missing: this version cannot record through /dev/kutrace"
               : "  missing: /dev/kutrace (the kernel module is not loaded)");
  out.line(fmt::format("  {}", role));
}

// Whether every check passed.
bool print_checks(StandardOutput& out) {
  bool usable = true;
  for (const Check& check : ebpf_checks()) {
    usable = usable && check.answer.has_value();
    out.line(fmt::format("  {}: {}", check.question, check.answer ? "yes" : "NO"));
    if (!check.answer) out.line("    " + describe(check.answer.error()));
  }
  out.line("  lockdown: " + lockdown_mode());
  return usable;
}

void print_cost(const Cost& cost, double empty_ns, StandardOutput& out) {
  const double without = cost.without_ns > 0 ? cost.without_ns : 1;
  out.line(fmt::format("  cost: {:.0f} ns per event on this machine", cost.ns_per_event()));
  out.line(fmt::format("    getppid without: {:.0f} ns", cost.without_ns));
  out.line(fmt::format("    getppid with empty programs: {:.0f} ns ({:.2f} times)", empty_ns,
                       empty_ns / without));
  out.line(fmt::format("    getppid recorded: {:.0f} ns ({:.2f} times)", cost.with_ns,
                       cost.with_ns / without));
}

Status print_hooks(StandardOutput& out) {
  KUTRACE_ASSIGN(const double empty_ns, time_with_empty_programs());
  const double without_ns = time_one_call();
  EbpfOptions options;
  options.blocks = kBlocks;
  options.sample_hz = kSampleHz;
  options.groups.set(EventGroup::kSamples, true);
  KUTRACE_ASSIGN(EbpfSource source, EbpfSource::open(options));
  out.line("  sees all but:");
  for (const std::string& line : source.unseen()) out.line("    " + line);
  KUTRACE_ASSIGN(const Cost cost, measure_cost(source, without_ns));
  print_cost(cost, empty_ns, out);
  return {};
}

Result<int> run() {
  StandardOutput out;
  explain_module("patch", "lowest cost: needs a patched kernel and the module", out);
  explain_module("module", "no patch: the module on the kernel's tracepoints", out);
  out.line("source ebpf:");
  bool usable = print_checks(out);
  Status hooks;
  if (usable) hooks = print_hooks(out);
  if (!hooks) out.line("  " + describe(hooks.error()));
  usable = usable && hooks.has_value();
  out.line(usable ? "record uses: ebpf" : "record cannot be used here");
  KUTRACE_TRY(out.finish());
  return static_cast<int>(usable ? ExitCode::kDone : ExitCode::kHost);
}

}  // namespace

void add_doctor(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("doctor", "Which sources work on this machine");
  command->footer(kFooter);
  command->callback([&invocation] { invocation.run = [] { return run(); }; });
}

}  // namespace kutrace
