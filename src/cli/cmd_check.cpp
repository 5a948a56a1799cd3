// SPDX-License-Identifier: BSD-3-Clause
// kutrace check: does every nanosecond of every CPU add up?
#include <fmt/format.h>

#include <memory>

#include "base/counted.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/replay.h"
#include "emit/text/wrapped_lines.h"
#include "format/event_table.h"
#include "format/group_times.h"
#include "format/unseen.h"
#include "read/trace/trace_input.h"
#include "reports/law_check.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
For every CPU, spans plus loss must equal the recorded time, without gap or overlap. In a raw trace
or its page, every thread and every call must add up, too.
Examples:
  kutrace check trace.raw
  kutrace check --strict trace.raw    damage, loss and repairs count as findings, too
  kutrace check -q trace.raw && kutrace report trace.raw

Exit codes: 0 everything adds up; 1 something does not (or, with --strict, there are findings);
3 unusable.)";

struct Options {
  std::string file;
  bool strict = false;
  bool quiet = false;
};

double percent(Ns part, Ns whole) {
  return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void print_cpus(const reports::LawReport& report, StandardOutput& out) {
  out.line("cpu    user%  kernel%     irq%    idle%    loss%  accounted%        spans");
  for (const auto& [cpu, totals] : report.cpus) {
    const Ns all = report.recorded();
    const Ns user = totals.of(SpanKind::kUser);
    const Ns kernel = totals.of(SpanKind::kSyscall) + totals.of(SpanKind::kTrap) +
                      totals.of(SpanKind::kScheduler) + totals.of(SpanKind::kKernelThread);
    const Ns irq = totals.of(SpanKind::kIrq) + totals.of(SpanKind::kSoftirq);
    const Ns idle = totals.of(SpanKind::kIdle) + totals.of(SpanKind::kIdleLowPower) +
                    totals.of(SpanKind::kCExit);
    out.line(fmt::format("{:3} {:8.3f} {:8.3f} {:8.3f} {:8.3f} {:8.3f} {:11.6f} {:>12}", cpu,
                         percent(user, all), percent(kernel, all), percent(irq, all),
                         percent(idle, all), percent(totals.loss(), all),
                         percent(totals.sum(), all), grouped(totals.spans)));
  }
}

// What is accounted for, but as nobody's.
void print_hidden(const reports::LawReport& report, StandardOutput& out) {
  Ns hidden = 0;
  Ns all = 0;
  for (const auto& [cpu, totals] : report.cpus) {
    hidden += totals.of(SpanKind::kHidden);
    all += report.recorded();
  }
  if (hidden != 0)
    out.line(fmt::format("hidden: {:.3f} % of the CPUs' time", percent(hidden, all)));
}

void print_counts(Severity severity, const Counters& counters, StandardOutput& out) {
  for (const auto& [name, count] : counters.named(severity)) {
    out.line(fmt::format("{}: {} {}", severity_name(severity), name, grouped(count)));
  }
}

// How much of the lives of threads, and of calls, is unknown.
void print_totals(const char* one, const char* many, const char* whole,
                  const reports::LawTotals& totals, StandardOutput& out) {
  if (totals.count == 0) return;
  out.line(fmt::format("{}: {:.6f} % of their {} unknown", counted(totals.count, one, many),
                       totals.total == 0 ? 0.0 : percent(totals.unknown, totals.total), whole));
}

void print_verdict(const reports::LawReport& report, StandardOutput& out) {
  if (!report.holds()) {
    out.line("does not add up: " + counted(report.violations.count, "violation", "violations"));
    return;
  }
  out.line("every CPU adds up: spans + loss = recorded time");
  if (report.threads.count != 0) {
    out.line("every thread adds up: executing + waiting + unknown = life");
  }
  if (report.calls_add_up) {
    out.line("every call ends and adds up: pieces + callees + waits + unknown = duration");
  } else if (report.calls.count != 0) {
    out.line("not verified: whether calls add up; the file does not say which call made which");
  }
}

void print_losses(const TraceInfo& info, StandardOutput& out) {
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < info.losses.size() && i < kShown; ++i) {
    const LossRecord& loss = info.losses[i];
    const std::string entries = loss.entries == ~std::uint64_t{0}
                                    ? "an unknown number of entries"
                                    : counted(loss.entries, "entry", "entries");
    out.line(fmt::format("loss: CPU {} from {:.6f} s for {:.6f} s, {} ({})", loss.cpu,
                         static_cast<double>(loss.begin) / 1e9,
                         static_cast<double>(loss.end - loss.begin) / 1e9, entries,
                         loss_reason_name(loss.reason)));
  }
  if (info.losses.size() > kShown) {
    out.line(fmt::format("loss: and {} more", info.losses.size() - kShown));
  }
}

// What the source does not show cannot be verified.
void print_unseen(const TraceInfo& info, StandardOutput& out) {
  std::string off;
  for (const auto& [key, value] : info.facts) {
    if (key != fact::kUnseen.text) continue;
    if (value.ends_with(kSwitchedOff)) {
      off += off.empty() ? "not asked for: " : "; ";
      off.append(value, 0, value.size() - kSwitchedOff.size());
    } else {
      out.line("not seen: " + value);
    }
  }
  emit::wrapped(off, 0, emit::kTextWidth, [&out](std::string_view line) { out.line(line); });
  for (const std::string& line : group_times_text(GroupTimes(info.facts), info.begin, info.end))
    out.line("not recorded all the time: " + line);
}

reports::Nesting nesting_of(const read::TraceInput& file) {
  if (file.tells_nesting()) return reports::Nesting::kTold;
  return file.tells_lives() ? reports::Nesting::kLivesAlone : reports::Nesting::kNotTold;
}

Result<int> run(const Options& options) {
  KUTRACE_ASSIGN(const read::TraceInput file, read::TraceInput::open(options.file));
  NameTable names;
  reports::LawCheck check(nesting_of(file));
  KUTRACE_ASSIGN(const TraceInfo info, replay_shown(file, names, check));
  const reports::LawReport report = check.report();
  if (!options.quiet) warn_of_unrecorded(file, info);
  const bool clean = info.losses.empty() && !info.counters.any(Severity::kDamage) &&
                     !info.counters.any(Severity::kRepair);
  StandardOutput out;
  if (!options.quiet) {
    out.line(fmt::format(
        "{}: {} in {}, {:.6f} s on {}", options.file, counted(info.events, "event", "events"),
        counted(info.blocks, "block", "blocks"), static_cast<double>(report.recorded()) / 1e9,
        counted(report.cpus.size(), "CPU", "CPUs")));
    print_cpus(report, out);
    print_hidden(report, out);
    print_counts(Severity::kDamage, info.counters, out);
    print_losses(info, out);
    print_counts(Severity::kRepair, info.counters, out);
    print_counts(Severity::kNote, info.counters, out);
    print_unseen(info, out);
    for (const std::string& violation : report.violations.first)
      out.line("violation: " + violation);
    print_totals("thread", "threads", "life", report.threads, out);
    print_totals("call", "calls", "duration", report.calls, out);
    print_verdict(report, out);
  }
  KUTRACE_TRY(out.finish());
  const bool good = report.holds() && (!options.strict || clean);
  return static_cast<int>(good ? ExitCode::kDone : ExitCode::kFindings);
}

}  // namespace

void add_check(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("check", "Verify that every nanosecond adds up");
  command.footer(kFooter);
  command.add_option("file", options->file, "raw trace, span JSON or page, or - for standard input")
      .required();
  command.add_flag("--strict", options->strict, "damage, loss and repairs are findings, too");
  command.add_flag("-q,--quiet", options->quiet, "only the exit code");
  command.runs(options, run);
}

}  // namespace kutrace::cli
