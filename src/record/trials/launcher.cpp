// SPDX-License-Identifier: BSD-3-Clause
// The process that runs the command, and talking to it: a byte to it begins a run, what the run
// took comes back.
#include "record/trials/launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <utility>

#include "record/run/exec_command.h"
#include "record/run/stop_signal.h"

namespace kutrace::record {

// What the processes share.
struct LauncherPage {
  std::atomic<Ns> begin = 0;        // just before exec
  std::atomic<Ns> used_before = 0;  // CPU time of the command's process until then
  std::atomic<int> exec_error = 0;  // why there was none
  std::atomic<pid_t> command = 0;   // while it runs
};

namespace {

constexpr Ns kNsPerMs = 1'000'000;
constexpr Ns kTimeToEnd = 2'000 * kNsPerMs;
constexpr Ns kLook = 500 * kNsPerMs;  // for a signal that came just before a sleep

Ns now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 * kNsPerMs + time.tv_nsec;
}

Ns ns_of(const timeval& time) { return time.tv_sec * 1000 * kNsPerMs + time.tv_usec * 1000; }

Ns cpu_time(const rusage& used) { return ns_of(used.ru_utime) + ns_of(used.ru_stime); }

Ns own_cpu_time() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return cpu_time(used);
}

bool is_readable(int fd, Ns most) {
  pollfd watch{fd, POLLIN, 0};
  return poll(&watch, 1, static_cast<int>((most + kNsPerMs - 1) / kNsPerMs)) > 0;
}

// A process whose parent was killed has nobody to answer to.
void live_no_longer_than_parent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

// 0 or errno.
int direct_streams(CommandOutput output) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) return errno;
  if (output == CommandOutput::kToStdout) return 0;
  const int target = output == CommandOutput::kNowhere ? nothing : STDERR_FILENO;
  return dup2(target, STDOUT_FILENO) < 0 ? errno : 0;
}

[[noreturn]] void be_command(const std::vector<std::string>& command, CommandOutput output,
                             LauncherPage& page) {
  setpgid(0, 0);
  int error = direct_streams(output);
  if (error == 0) error = prepare_command();
  live_no_longer_than_parent();  // which a change of user takes back
  page.used_before = own_cpu_time();
  page.begin = now();
  if (error == 0) error = exec_command(command);
  page.exec_error = error;
  _exit(exec_failure_code(error));
}

CommandRun run_once(const std::vector<std::string>& command, CommandOutput output,
                    LauncherPage& page) {
  page.exec_error = 0;
  const pid_t pid = fork_command();
  if (pid == 0) be_command(command, output, page);
  if (pid < 0) {
    page.exec_error = errno;
    return {};
  }
  setpgid(pid, pid);  // whoever is first
  page.command = pid;
  int status = 0;
  rusage used{};
  while (wait4(pid, &status, 0, &used) != pid && errno == EINTR) {
  }
  const Ns end = now();
  page.command = 0;
  return {end - page.begin, std::max<Ns>(0, cpu_time(used) - page.used_before), status};
}

[[noreturn]] void serve(const std::vector<std::string>& command, CommandOutput output, int socket,
                        LauncherPage& page) {
  setpgid(0, 0);  // signals of the terminal go to those who decide
  live_no_longer_than_parent();
  for (char byte = 0; read(socket, &byte, 1) == 1;) {
    const CommandRun run = run_once(command, output, page);
    if (write(socket, &run, sizeof run) != sizeof run) break;
  }
  _exit(0);
}

Error launcher_error(const char* what) {
  return host_error(std::string("cannot ") + what + ": " + errno_text(errno));
}

}  // namespace

Launcher::Launcher(pid_t pid, files::Descriptor socket, LauncherPage* page)
    : pid_(pid), socket_(std::move(socket)), page_(page) {}

Launcher::Launcher(Launcher&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      socket_(std::move(other.socket_)),
      page_(std::exchange(other.page_, nullptr)),
      runs_(std::exchange(other.runs_, false)) {}

Result<Launcher> Launcher::start(const std::vector<std::string>& command, CommandOutput output) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail(launcher_error("make a socket"));
  files::Descriptor ours(ends[0]);
  const files::Descriptor theirs(ends[1]);
  void* memory = mmap(nullptr, sizeof(LauncherPage), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return fail(launcher_error("share memory"));
  auto* page = new (memory) LauncherPage;
  const pid_t pid = fork();
  if (pid < 0) return fail(launcher_error("start a process"));
  if (pid == 0) {
    close(ours.get());
    serve(command, output, theirs.get(), *page);
  }
  return Launcher(pid, std::move(ours), page);
}

Launcher::~Launcher() {
  if (pid_ < 0) return;
  end(SIGKILL);
  socket_ = files::Descriptor();
  while (waitpid(pid_, nullptr, 0) != pid_ && errno == EINTR) {
  }
  munmap(page_, sizeof *page_);
}

Result<int> Launcher::begin() {
  if (send(socket_.get(), "", 1, MSG_NOSIGNAL) != 1)
    return fail(launcher_error("begin a run of the command"));
  runs_ = true;
  return socket_.get();
}

bool Launcher::wait(Ns most) const {
  const Ns until = now() + most;
  for (Ns left = most; left > 0 && StopSignal::received() == 0; left = until - now()) {
    if (is_readable(socket_.get(), std::min(left, kLook))) return true;
  }
  return is_readable(socket_.get(), 0);
}

Result<CommandRun> Launcher::take() {
  runs_ = false;
  CommandRun run;
  ssize_t got = 0;
  do {
    got = read(socket_.get(), &run, sizeof run);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof run) return fail(host_error("the process that runs the command was killed"));
  if (page_->exec_error != 0)
    return fail(host_error("cannot run the command: " + errno_text(page_->exec_error))
                    .with_hint("check its name and its permissions"));
  return run;
}

void Launcher::end(int signal) {
  if (!runs_) return;
  for (const int number : {signal, SIGKILL}) {
    if (const pid_t group = page_->command; group > 0) kill(-group, number);
    if (is_readable(socket_.get(), kTimeToEnd)) break;
  }
  const Result<CommandRun> ended = take();
  static_cast<void>(ended);
}

}  // namespace kutrace::record
