// SPDX-License-Identifier: BSD-3-Clause
// Running a command and measuring it, without a recorder.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "record/run/stop_signal.h"
#include "record/trials/launcher.h"
#include "record/trials/trials.h"

namespace kutrace::record {
namespace {

constexpr Ns kMs = 1'000'000;
constexpr Ns kLong = 20'000 * kMs;

Launcher launcher_of(const std::vector<std::string>& command) {
  Result<Launcher> launcher = Launcher::start(command, CommandOutput::kNowhere);
  REQUIRE(launcher.has_value());
  return std::move(*launcher);
}

CommandRun run_once(Launcher& launcher) {
  REQUIRE(launcher.begin().has_value());
  REQUIRE(launcher.wait(kLong));
  const Result<CommandRun> run = launcher.take();
  REQUIRE(run.has_value());
  return *run;
}

Ns now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TEST_CASE("a round is the same forwards and backwards, and each way has its turn to be first") {
  using Order = std::vector<std::size_t>;
  CHECK(order_of_round(1, 0) == Order{0, 1, 1, 0});
  CHECK(order_of_round(1, 7) == Order{0, 1, 1, 0});
  CHECK(order_of_round(3, 0) == Order{0, 1, 2, 3, 3, 2, 1, 0});
  CHECK(order_of_round(3, 1) == Order{0, 2, 3, 1, 1, 3, 2, 0});
  std::map<std::size_t, int> first;
  for (unsigned round = 0; round < 18; ++round) ++first[order_of_round(9, round)[1]];
  CHECK(first.size() == 9);
  for (const auto& [way, times] : first) CHECK(times == 2);
}

TEST_CASE("a run's time is that of the command alone") {
  Launcher launcher = launcher_of({"sleep", "0.05"});
  for (int i = 0; i < 3; ++i) {
    const Ns begin = now();
    const CommandRun run = run_once(launcher);
    CHECK(run.status == 0);
    CHECK(run.wall >= 50 * kMs);
    CHECK(run.wall <= now() - begin);
    CHECK(run.cpu < run.wall);
  }
}

TEST_CASE("a run's CPU time has none of what was before its begin") {
  Launcher launcher = launcher_of({"true"});
  for (int i = 0; i < 10; ++i) {
    const CommandRun run = run_once(launcher);
    CHECK(run.cpu <= run.wall + kMs / 20);  // two clocks
  }
}

TEST_CASE("a run's CPU time has that of what the command waited for") {
  Launcher launcher = launcher_of(
      {"sh", "-c", "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'; exit 0"});
  const CommandRun run = run_once(launcher);
  CHECK(run.cpu > run.wall / 50);
  CHECK(run.cpu > 10 * kMs);
}

TEST_CASE("how a command ended is what wait says of it") {
  Launcher failing = launcher_of({"sh", "-c", "exit 3"});
  CHECK(WEXITSTATUS(run_once(failing).status) == 3);
  Launcher killed = launcher_of({"sh", "-c", "kill -SEGV $$"});
  const int status = run_once(killed).status;
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGSEGV);
}

TEST_CASE("a command that cannot be executed is an error, each time") {
  Launcher launcher = launcher_of({"/no/such/program"});
  for (int i = 0; i < 2; ++i) {
    REQUIRE(launcher.begin().has_value());
    REQUIRE(launcher.wait(kLong));
    const Result<CommandRun> run = launcher.take();
    REQUIRE_FALSE(run.has_value());
    CHECK(run.error().sentence.find("No such file") != std::string::npos);
  }
}

TEST_CASE("a command has nothing to read") {
  Launcher launcher = launcher_of({"sh", "-c", "! read line"});
  CHECK(run_once(launcher).status == 0);
}

TEST_CASE(
    "a command that does not end is ended, with what it started; then another run is possible") {
  Launcher launcher = launcher_of({"sh", "-c", "trap '' TERM; sleep 100 & wait; sleep 100"});
  for (int i = 0; i < 2; ++i) {
    REQUIRE(launcher.begin().has_value());
    CHECK_FALSE(launcher.wait(100 * kMs));
    CHECK(launcher.runs());
    const Ns begin = now();
    launcher.end(SIGTERM);
    CHECK(now() - begin < kLong);
    CHECK_FALSE(launcher.runs());
  }
}

TEST_CASE("whoever waits for a command stops waiting when asked to end") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);  // Catch has handlers
    Result<Launcher> launcher = Launcher::start({"sleep", "100"}, CommandOutput::kNowhere);
    const StopSignal outer;
    {
      const StopSignal inner;
      StopSignal::nothing_to_lose();
    }
    if (!launcher || !launcher->begin()) _exit(1);
    const pid_t target = getpid();
    if (fork() == 0) {
      usleep(50'000);
      kill(target, SIGINT);
      _exit(0);
    }
    const bool ended = launcher->wait(kLong);
    launcher->end(SIGKILL);
    _exit(!ended && StopSignal::received() == SIGINT ? 42 : 2);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);
}

TEST_CASE("an inner stop signal takes nothing from the outer one") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
    const StopSignal outer;
    kill(getpid(), SIGHUP);
    {
      const StopSignal inner;
      StopSignal::nothing_to_lose();
      kill(getpid(), SIGTERM);
    }
    kill(getpid(), SIGTERM);
    _exit(StopSignal::received() == SIGHUP ? 42 : 2);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);
}

}  // namespace
}  // namespace kutrace::record
