// SPDX-License-Identifier: BSD-3-Clause
// Measuring pieces of work, here or as a program.
#include "bench/cost.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

namespace kutrace::bench {
namespace {

double cpu_seconds(const rusage& usage) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double cpu_seconds_here() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return cpu_seconds(usage);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::uint64_t anonymous_bytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string word;
  while (status >> word) {
    std::uint64_t kib = 0;
    if (word == "RssAnon:" && status >> kib) return kib * 1024;
  }
  return 0;
}

template <typename Value>
Value median(std::vector<Value> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Result<pid_t> start(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return fail(host_error(command[0] + " cannot be run: " + errno_text(failure)));
  return child;
}

}  // namespace

Result<Cost> cost_here(const std::function<Status()>& work) {
  const double cpu = cpu_seconds_here();
  const double wall = wall_seconds();
  KUTRACE_TRY(work());
  return Cost{.cpu = cpu_seconds_here() - cpu, .wall = wall_seconds() - wall};
}

Result<Cost> cost_of_program(const std::vector<std::string>& command) {
  const double begun = wall_seconds();
  KUTRACE_ASSIGN(const pid_t child, start(command));
  Cost cost;
  rusage usage{};
  int status = 0;
  while (wait4(child, &status, WNOHANG, &usage) == 0) {
    cost.anonymous = std::max(cost.anonymous, anonymous_bytes(child));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  cost.wall = wall_seconds() - begun;
  cost.cpu = cpu_seconds(usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::string words;
    for (const std::string& word : command) words += word + ' ';
    return fail(internal_error(words + "failed"));
  }
  return cost;
}

Result<std::vector<Cost>> median_costs(const std::vector<Work>& work, unsigned rounds) {
  std::vector<std::vector<Cost>> seen(work.size());
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < work.size(); ++i) {
      KUTRACE_ASSIGN(const Cost cost, work[i].run());
      seen[i].push_back(cost);
    }
  }
  std::vector<Cost> medians;
  for (const std::vector<Cost>& costs : seen) {
    const auto of = [&costs](auto member) {
      std::vector<std::remove_cvref_t<decltype(costs[0].*member)>> values;
      for (const Cost& cost : costs) values.push_back(cost.*member);
      return median(std::move(values));
    };
    medians.push_back(
        {.cpu = of(&Cost::cpu), .wall = of(&Cost::wall), .anonymous = of(&Cost::anonymous)});
  }
  return medians;
}

}  // namespace kutrace::bench
