// SPDX-License-Identifier: BSD-3-Clause
// kutrace overhead: what recording costs a command, by running it with and without.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "base/counted.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/percent.h"
#include "cli/progress.h"
#include "cli/recording.h"
#include "cli/table_output.h"
#include "cli/time_text.h"
#include "emit/text/overhead_text.h"
#include "record/run/child.h"
#include "record/trials/trials.h"
#include "reports/overhead.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Runs the command in rounds: bare, recorded, recorded, bare. Compares the wall time from its start to
its end, and its own CPU time; neither includes starting and stopping the recorder. The command has no
input, its output is discarded, and every run must succeed.
~ marks what is within noise; least is the smallest difference that would have been detected.
--groups: also each group of events alone; context switches (sched) are always among them.
--fail-over: exit code 1 if the wall time grew by more than P % and beyond noise.

Examples:
  kutrace overhead -- ./server --once
  kutrace overhead --rounds 20 --fail-over 3% -- make -B part
  kutrace overhead --groups -o groups.csv -- ./load
  kutrace overhead --source ebpf,module -- ./load

Exit codes: 0 done; 1 --fail-over: it costs more; 2 usage; 3 the command failed, or lasted too long;
4 this machine cannot record; 5 output cannot be written; 126, 127 the command cannot be run;
130 interrupted: complete rounds are shown.)";

using Seconds = std::chrono::duration<double>;
constexpr double kKnownSeconds = 10;  // after which it can be told how long all will last
constexpr double kLongSeconds = 60;

struct Options {
  std::vector<std::string> sources;
  bool groups = false;
  std::uint32_t rounds = 10;
  std::uint32_t warmup = 1;
  std::string timeout = "300s";
  bool show_output = false;
  std::string fail_over;
  TableOptions table;
  std::vector<std::string> command;
};

std::vector<record::SourceKind> sources_from(const Options& options) {
  std::vector<record::SourceKind> kinds;
  const std::vector<std::string> none = {"auto"};
  for (const std::string& name : options.sources.empty() ? none : options.sources) {
    const record::SourceKind kind = choose_source(name);
    if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
  }
  return kinds;
}

Result<std::vector<record::RecordingWay>> ways_from(const Options& options) {
  std::vector<record::RecordingWay> ways;
  for (const record::SourceKind source : sources_from(options)) {
    ways.push_back({source, EventGroups::standard()});
    if (!options.groups) continue;
    for (const std::string& name : ways.back().groups.names()) {
      KUTRACE_ASSIGN(const EventGroups alone, EventGroups::parse(name));
      ways.push_back({source, alone});
    }
  }
  return ways;
}

emit::OverheadWay told_way(const record::RecordingWay& way) {
  const bool standard = way.groups.bits() == EventGroups::standard().bits();
  return {std::string(record::name_of(way.source)),
          standard ? "standard" : fmt::format("{}", fmt::join(way.groups.names(), ","))};
}

// The bar, and a sentence if it lasts long.
class Course {
 public:
  void show(double share) {
    const double lasted = Seconds(std::chrono::steady_clock::now() - begin_).count();
    if (!told_ && lasted > kKnownSeconds && lasted / share > kLongSeconds) {
      told_ = true;
      log_info("this will take about {}; Ctrl-C ends it, and shows what is done",
               counted(static_cast<std::uint64_t>(std::lround(lasted / share / 60)), "minute",
                       "minutes"));
    }
    bar_.show(share);
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool told_ = false;
  Progress bar_;
};

Result<record::TrialOptions> resolve(const Options& options) {
  record::TrialOptions wanted;
  wanted.command = options.command;
  if (options.show_output)
    wanted.output = options.table.output == "-" ? record::CommandOutput::kToStderr
                                                : record::CommandOutput::kToStdout;
  wanted.rounds = options.rounds;
  wanted.warmup = options.warmup;
  KUTRACE_ASSIGN(wanted.most, parse_time(options.timeout));
  if (wanted.most == 0) return fail(usage_error("--timeout: no command ends within 0 s"));
  return wanted;
}

emit::OverheadTold told_of(const record::TrialOptions& wanted, const record::Trials& trials) {
  emit::OverheadTold told;
  told.command = wanted.command;
  told.rounds = trials.rounds;
  told.wanted = wanted.rounds;
  told.warmup = wanted.warmup;
  for (const record::RecordingWay& way : wanted.ways) told.ways.push_back(told_way(way));
  for (const record::Trial& run : trials.runs)
    told.runs.push_back(
        {run.way, run.round, {run.wall, run.cpu, run.events, run.lost}, run.other_recorders});
  return told;
}

std::vector<reports::OverheadRow> rows_of(const emit::OverheadTold& told) {
  std::vector<reports::OverheadRuns> runs(told.ways.size() + 1);
  for (const emit::OverheadRunTold& one : told.runs) runs[one.way].push_back(one.run);
  return reports::overhead(runs.front(), {runs.begin() + 1, runs.end()});
}

Status write(const std::vector<reports::OverheadRow>& rows, const emit::OverheadTold& told,
             const TableOptions& table) {
  return write_lines(table.output, [&](const TakeLine& line) -> Status {
    const TableForm form = table.form();
    if (form == TableForm::kJson) {
      line(emit::overhead_json(rows, told));
    } else if (form == TableForm::kCsv) {
      emit::overhead_csv(rows, told, line);
    } else {
      emit::overhead_table(rows, told, line);
    }
    return {};
  });
}

void warn_of_losses(const std::vector<reports::OverheadRow>& rows, const emit::OverheadTold& told) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].lost == 0) continue;
    log_warn("{}: {} lost, which cost less than recorded ones",
             emit::overhead_way_name(told.ways[i]),
             counted(rows[i].lost, "entry was", "entries were"));
  }
}

void warn_of_others(const emit::OverheadTold& told) {
  const auto beside = std::ranges::count_if(
      told.runs, [](const emit::OverheadRunTold& one) { return one.other_recorders != 0; });
  if (beside == 0) return;
  log_warn("another recorder was at work beside {} of {}, so bare ones may be recorded, too",
           beside, counted(told.runs.size(), "run", "runs"));
}

// A way that would have to cost more than the limit to be noticed passes it whatever it costs; says
// how many do.
void tell_unseen(const std::vector<reports::OverheadRow>& rows, const emit::OverheadTold& told,
                 double percent) {
  const auto least = [&rows](std::size_t i) {
    return rows[i].wall.percent(rows[i].wall.detectable);
  };
  std::vector<std::size_t> unseen;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].wall.may_hide(percent)) unseen.push_back(i);
  if (unseen.empty()) return;
  const std::size_t largest = std::ranges::max(unseen, {}, least);
  log_info(
      "rows that vary by more than {} %, so that such a growth of them is not seen: {} of {}; the "
      "largest is {}, least {:.1f} %: more rounds, longer ones or a quieter machine tell more",
      percent, unseen.size(), rows.size(), emit::overhead_way_name(told.ways[largest]),
      least(largest));
}

// Says which; whether there are any.
bool tell_growth(const std::vector<reports::OverheadRow>& rows, const emit::OverheadTold& told,
                 double percent) {
  bool any = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].wall.found || !(rows[i].wall.growth() > percent)) continue;
    any = true;
    log_warn("{}: recording costs more than {} % of wall time",
             emit::overhead_way_name(told.ways[i]), percent);
  }
  tell_unseen(rows, told, percent);
  return any;
}

Status check_verdict(const Options& options, std::size_t ways) {
  if (reports::can_find_overhead(std::size_t{2} * options.rounds, ways)) return {};
  return fail(
      usage_error(fmt::format("--fail-over: so few rounds ({}) find nothing, however much "
                              "it is",
                              options.rounds)));
}

// What is known of rounds that are whole.
Result<int> answer(const Options& options, const record::TrialOptions& wanted,
                   const record::Trials& trials, double percent) {
  const emit::OverheadTold told = told_of(wanted, trials);
  const std::vector<reports::OverheadRow> rows = rows_of(told);
  KUTRACE_TRY(write(rows, told, options.table));
  warn_of_losses(rows, told);
  warn_of_others(told);
  const bool failed = !options.fail_over.empty() && tell_growth(rows, told, percent);
  return static_cast<int>(failed ? ExitCode::kFindings : ExitCode::kDone);
}

Result<int> run(const Options& options) {
  if (options.command.empty())
    return fail(usage_error("there is no command").with_hint("kutrace overhead -- COMMAND"));
  double percent = 0;
  if (!options.fail_over.empty()) {
    KUTRACE_ASSIGN(percent, parse_percent("--fail-over", options.fail_over));
  }
  KUTRACE_ASSIGN(record::TrialOptions wanted, resolve(options));
  int code = 0;
  if (const Status found = record::find_command(options.command.front(), code); !found) {
    log_error("{}", describe(found.error()));
    return code;
  }
  KUTRACE_ASSIGN(wanted.ways, ways_from(options));
  if (!options.fail_over.empty()) KUTRACE_TRY(check_verdict(options, wanted.ways.size()));
  auto course = std::make_unique<Course>();
  wanted.on_progress = [&course](double share) { course->show(share); };
  KUTRACE_ASSIGN(const record::Trials trials, record::run_trials(wanted));
  course.reset();
  int status = static_cast<int>(ExitCode::kDone);
  if (trials.rounds != 0) {
    KUTRACE_ASSIGN(status, answer(options, wanted, trials, percent));
  }
  if (trials.failure) return fail(*trials.failure);
  if (!trials.interrupted) return status;
  log_warn("interrupted: {} done", counted(trials.rounds, "round was", "rounds were"));
  return static_cast<int>(ExitCode::kInterrupted);
}

}  // namespace

void add_overhead(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("overhead", "Measure what recording costs a command");
  command.footer(kFooter);
  command
      .add_option("--source", options->sources, "which source records, or several; default: auto")
      .list()
      .one_of({"auto", "ebpf", "module"});
  command.add_flag("--groups", options->groups, "also each group of events alone");
  command.add_option("--rounds", options->rounds, "rounds of two bare and two recorded runs")
      .at_least(1)
      .shows_default();
  command.add_option("--warmup", options->warmup, "runs of each kind before, which are not counted")
      .at_least(0)
      .shows_default();
  command.add_option("--timeout", options->timeout, "time limit of a run: 5, 500ms, 300s")
      .shows_default();
  command.add_flag("--show-output", options->show_output, "show the output of the command");
  command.add_option("--fail-over", options->fail_over,
                     "exit code 1 if the wall time grows by more than this: 3%");
  add_table_options(command, options->table);
  command.add_option("command", options->command, "command and its arguments, after --");
  command.runs(options, run);
}

}  // namespace kutrace::cli
