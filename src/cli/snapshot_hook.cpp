// SPDX-License-Identifier: BSD-3-Clause
// Two processes and a pipe.
#include "cli/snapshot_hook.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <utility>

#include "base/counted.h"
#include "base/result.h"
#include "base/text.h"
#include "cli/log.h"
#include "record/run/exec_command.h"
#include "record/run/stop_signal.h"

namespace kutrace::cli {

namespace {

constexpr std::size_t kMostWaiting = 64;
constexpr const char* kThisProgram = "/proc/self/exe";

// Between fork and exec: `from` becomes descriptor `to`. What a service may do is not for what it
// runs.
[[noreturn]] void become_command(const std::vector<std::string>& words, int from, int to) {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (record::prepare_command() != 0 || dup2(from, to) < 0) _exit(126);
  setpriority(PRIO_PROCESS, 0, 0);
  _exit(record::exec_failure_code(record::exec_command(words)));
}

}  // namespace

void SnapshotHook::add(const std::string& path, std::vector<std::string> question) {
  if (command_.empty()) return;
  if (orders_.size() >= kMostWaiting) {
    log_warn("{} is not run on {}: it is behind by {} snapshots", printable(command_),
             printable(path), orders_.size());
    return;
  }
  orders_.push_back({path, std::move(question)});
}

void SnapshotHook::start(const Order& order) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    log_warn("cannot run {}: {}", printable(command_), errno_text(errno));
    return;
  }
  std::vector<std::string> why = {kThisProgram, "why", "--format", "json"};
  why.insert(why.end(), order.question.begin(), order.question.end());
  why.insert(why.end(), {"--", order.path});
  const std::vector<std::string> command = {command_, order.path};
  runs_ = record::fork_command();
  if (runs_ == 0) become_command(command, ends[0], STDIN_FILENO);
  if (runs_ > 0) {
    asks_ = record::fork_command();
    if (asks_ == 0) become_command(why, ends[1], STDOUT_FILENO);
  }
  if (runs_ < 0 || asks_ < 0) log_warn("cannot run {}: {}", printable(command_), errno_text(errno));
  runs_ = std::max(runs_, 0);
  asks_ = std::max(asks_, 0);
  close(ends[0]);
  close(ends[1]);
}

void SnapshotHook::ended(int status) {
  const int code = record::shell_status(status);
  if (code == 127)
    log_warn("{} is no command that can be found", printable(command_));
  else if (code != 0)
    log_warn("{} ended with status {}", printable(command_), code);
}

void SnapshotHook::poll() {
  int status = 0;
  if (asks_ != 0 && waitpid(asks_, &status, WNOHANG) != 0) asks_ = 0;
  if (runs_ != 0 && waitpid(runs_, &status, WNOHANG) != 0) {
    runs_ = 0;
    ended(status);
  }
  if (asks_ != 0 || runs_ != 0 || orders_.empty()) return;
  const Order order = std::move(orders_.front());
  orders_.pop_front();
  running_ = order.path;
  start(order);
}

std::vector<std::string> SnapshotHook::paths() const {
  std::vector<std::string> all;
  if (asks_ != 0 || runs_ != 0) all.push_back(running_);
  std::ranges::transform(orders_, std::back_inserter(all), &Order::path);
  return all;
}

void SnapshotHook::finish() {
  constexpr useconds_t kBetweenLooks_us = 10'000;
  constexpr int kLooksAfterSignal = 200;
  const int signals = record::StopSignal::number_received();
  int looks = 0;
  for (poll(); asks_ != 0 || runs_ != 0; poll()) {
    usleep(kBetweenLooks_us);
    if (record::StopSignal::number_received() == signals) continue;
    if (looks++ == 0) give_up();
    if (looks > kLooksAfterSignal) {
      log_warn("{} does not end, and is left alone", printable(command_));
      return;
    }
  }
}

void SnapshotHook::give_up() {
  if (!orders_.empty())
    log_warn("{} is not run on {}", printable(command_),
             counted(orders_.size(), "snapshot", "snapshots"));
  orders_.clear();
  for (const pid_t process : {runs_, asks_})
    if (process != 0) kill(process, SIGTERM);
}

}  // namespace kutrace::cli
