// SPDX-License-Identifier: BSD-3-Clause
// Rounds of a recorder, read as they come.
#include "cli/live_times.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "record/proc/pid_namespace.h"
#include "record/run/exec_command.h"

namespace kutrace::cli {

namespace {

// `kutrace report RAW -o PAGE`, silent; 0: it could not be started.
pid_t start_report(const std::string& raw, const std::string& page) {
  const pid_t child = record::fork_command();
  if (child != 0) return std::max(child, 0);
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, fd);
  if (record::prepare_command() != 0) _exit(126);
  const std::vector<std::string> words = {"/proc/self/exe", "report", raw, "-o", page};
  _exit(record::exec_failure_code(record::exec_command(words)));
}

}  // namespace

Result<LiveTimes> LiveTimes::start(record::FlightOptions options, Ns interval) {
  LiveTimes live;
  live.interval_ = live.next_ = interval;
  KUTRACE_ASSIGN(record::FlightRecorder recorder, record::FlightRecorder::open(std::move(options)));
  live.recorder_ = std::make_unique<record::FlightRecorder>(std::move(recorder));
  KUTRACE_TRY(live.recorder_->start());
  live.follow();
  return live;
}

void LiveTimes::follow() {
  times_ = std::make_unique<live::ThreadTimes>();
  live::ThreadTimes& times = *times_;
  live::LiveOptions wanted = live::options_for(*recorder_);
  wanted.make_sink = [&times](const live::LaneView& view) { return times.sink(view); };
  wanted.on_event = [&times](const timeline::Event& event) { times.event(event); };
  known_until_ = wanted.start;
  stream_ = std::make_unique<live::LiveStream>(std::move(wanted));
}

Result<std::optional<live::TimesOfInterval>> LiveTimes::work() {
  KUTRACE_ASSIGN(const record::FlightRound round,
                 recorder_->round([this](const record::FinishedBlock& block) {
                   return stream_->is_done_with(block);
                 }));
  stream_->add(round);
  stream_->advance(std::exchange(known_until_, round.at));
  if (stream_->time() < next_) return std::nullopt;
  next_ = stream_->time() + interval_;
  return times_->take(stream_->time(), [this](Pid thread) {
    return recorder_->knows_pids() && record::is_gone(static_cast<std::uint32_t>(thread));
  });
}

void LiveTimes::pause(int descriptor) const {
  recorder_->pause(descriptor < 0 ? std::vector<int>() : std::vector{descriptor});
}

void LiveTimes::begin_page(const std::string& path, Ns last) {
  if (!page_.empty()) return;
  page_ = path;
  record::SnapshotOrder order;
  order.path = path + ".raw";
  order.before = last;
  order.of = recorder_->now();
  recorder_->begin_snapshot(std::move(order));
}

std::optional<std::string> LiveTimes::page_news() {
  if (page_.empty()) return std::nullopt;
  if (makes_page_ != 0) {
    int status = 0;
    if (waitpid(makes_page_, &status, WNOHANG) == 0) return std::nullopt;
    makes_page_ = 0;
    const std::string page = std::exchange(page_, {});
    if (status != 0) return "kutrace report failed; the trace is " + page + ".raw";
    unlink((page + ".raw").c_str());
    return "written: " + page;
  }
  const auto done = recorder_->take_snapshot();
  if (!done) return std::nullopt;
  if (*done) makes_page_ = start_report((*done)->path, page_);
  if (makes_page_ != 0) return "making " + page_;
  page_.clear();
  return *done ? "kutrace report cannot be started" : done->error().sentence;
}

}  // namespace kutrace::cli
