// SPDX-License-Identifier: BSD-3-Clause
// Rounds of runs.
#include "record/trials/trials.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "base/signal_text.h"
#include "files/descriptor.h"
#include "record/proc/other_recorders.h"
#include "record/run/stop_signal.h"

namespace kutrace::record {

namespace {

// Before each run, bare or not: what the recorder's start or end leaves to be done by the kernel is
// done, and all runs find caches that are as cold.
constexpr Ns kRest = 50'000'000;
constexpr int kRecordingsOfNothing = 3;
constexpr const char* kLimit = "--duration";   // what a recording says that it ended by
constexpr const char* kNowhere = "/dev/null";  // at the end; before it, a file without a name

class Experiment {
 public:
  Experiment(const TrialOptions& options, Launcher launcher)
      : options_(options), launcher_(std::move(launcher)) {}

  Trials run();

 private:
  Status warm_up();
  Status round();
  Result<Trial> run_one(std::size_t way);
  Result<Summary> record_one(const RecordingWay& way, std::function<Result<int>()> begin);
  Status record_nothing();
  Result<Ns> run_recorded(std::size_t way, Trial& trial);
  Result<CommandRun> command_ended(Ns left);
  void step_done();
  Error too_long() const;

  const TrialOptions& options_;
  Launcher launcher_;
  std::size_t done_ = 0;               // runs, those that are not counted among them
  std::size_t steps_ = 0;              // these, and recordings of nothing
  std::vector<std::uint64_t> around_;  // events of a recording of nothing, by way
  Trials trials_;
};

void rest() { std::this_thread::sleep_for(std::chrono::nanoseconds(kRest)); }

std::string ending(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("exit status {}", WEXITSTATUS(status));
  return signal_text(WTERMSIG(status));
}

Error Experiment::too_long() const {
  return input_error(fmt::format("the command did not end within {} s",
                                 static_cast<double>(options_.most) / 1e9))
      .with_hint("a longer --timeout lets it end");
}

void Experiment::step_done() {
  const std::size_t ways = options_.ways.size();
  const std::size_t all = kRecordingsOfNothing * ways +
                          (options_.warmup + std::size_t{2} * options_.rounds) * (ways + 1);
  ++steps_;
  if (options_.on_progress)
    options_.on_progress(static_cast<double>(steps_) / static_cast<double>(all));
}

// Its own time is that of the launcher; how soon this process notices does not matter.
Result<CommandRun> Experiment::command_ended(Ns left) {
  if (!launcher_.runs()) return fail(host_error("interrupted before the command began"));
  if (!launcher_.wait(left)) {
    const int signal = StopSignal::received();
    launcher_.end(signal != 0 ? signal : SIGTERM);
    return fail(too_long());
  }
  KUTRACE_ASSIGN(const CommandRun run, launcher_.take());
  if (run.status == 0) return run;
  return fail(
      input_error(fmt::format("the command failed in run {}: {}", done_ + 1, ending(run.status)))
          .with_hint("a failed run cannot be compared with the others; sh -c "
                     "'COMMAND || true' if it may"));
}

Result<Summary> Experiment::record_one(const RecordingWay& way,
                                       std::function<Result<int>()> begin) {
  RecordOptions options;
  options.path = kNowhere;
  options.source = way.source;
  options.groups = way.groups;
  options.duration = options_.most + kRest;
  options.begin = std::move(begin);
  Result<Summary> summary = record(options);
  if (summary && summary->failure) return fail(*summary->failure);
  return summary;
}

// What a recording has before and behind the command; and whether there can be one at all, before
// the command runs for the first time.
Status Experiment::record_nothing() {
  const files::Descriptor ended(open(kNowhere, O_RDONLY | O_CLOEXEC));  // it can be read at once
  const auto begin = [&ended]() -> Result<int> {
    rest();
    return ended.get();
  };
  for (const RecordingWay& way : options_.ways) {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < kRecordingsOfNothing; ++i) {
      KUTRACE_ASSIGN(const Summary summary, record_one(way, begin));
      least = std::min(least, summary.tally.transitions);
      step_done();
    }
    around_.push_back(least);
  }
  return {};
}

// How long to wait for the command after that.
Result<Ns> Experiment::run_recorded(std::size_t way, Trial& trial) {
  KUTRACE_ASSIGN(const Summary summary, record_one(options_.ways[way], [this] {
                   rest();
                   return launcher_.begin();
                 }));
  trial.events = summary.tally.transitions - std::min(summary.tally.transitions, around_[way]);
  trial.lost = summary.lost;
  if (summary.ended_by.empty()) return options_.most;
  if (summary.ended_by == kLimit) return 0;
  return fail(host_error("a recording ended before the command: " + summary.ended_by));
}

Result<Trial> Experiment::run_one(std::size_t way) {
  Trial trial;
  trial.way = way;
  trial.round = trials_.rounds;
  trial.other_recorders = count_other_recorders();
  Ns left = options_.most;
  if (way == 0) {
    rest();
    KUTRACE_TRY(launcher_.begin());
  } else {
    KUTRACE_ASSIGN(left, run_recorded(way - 1, trial));
  }
  KUTRACE_ASSIGN(const CommandRun run, command_ended(left));
  trial.wall = run.wall;
  trial.cpu = run.cpu;
  trial.other_recorders = std::max(trial.other_recorders, count_other_recorders());
  ++done_;
  step_done();
  return trial;
}

Status Experiment::warm_up() {
  for (unsigned i = 0; i < options_.warmup; ++i) {
    for (std::size_t way = 0; way <= options_.ways.size(); ++way) KUTRACE_TRY(run_one(way));
  }
  return {};
}

Status Experiment::round() {
  std::vector<Trial> runs;
  for (const std::size_t way : order_of_round(options_.ways.size(), trials_.rounds)) {
    KUTRACE_ASSIGN(const Trial trial, run_one(way));
    runs.push_back(trial);
  }
  std::ranges::copy(runs, std::back_inserter(trials_.runs));
  ++trials_.rounds;
  return {};
}

Trials Experiment::run() {
  const StopSignal signals;
  Status done = record_nothing();
  if (done) done = warm_up();
  while (done && StopSignal::received() == 0 && trials_.rounds < options_.rounds) done = round();
  trials_.interrupted = StopSignal::received() != 0;
  if (!done && !trials_.interrupted) trials_.failure = done.error();
  return std::move(trials_);
}

}  // namespace

std::vector<std::size_t> order_of_round(std::size_t ways, unsigned round) {
  std::vector<std::size_t> order(ways);
  std::iota(order.begin(), order.end(), std::size_t{1});
  std::ranges::rotate(order, order.begin() + static_cast<std::ptrdiff_t>(round % ways));
  order.insert(order.begin(), 0);
  order.insert(order.end(), order.rbegin(), order.rend());
  return order;
}

Result<Trials> run_trials(const TrialOptions& options) {
  KUTRACE_ASSIGN(Launcher launcher, Launcher::start(options.command, options.output));
  return Experiment(options, std::move(launcher)).run();
}

}  // namespace kutrace::record
