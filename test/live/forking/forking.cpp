// SPDX-License-Identifier: BSD-3-Clause
// A server that forks, with a known number of calls. In: its name, a number of children, of calls,
// a FIFO. Half of the children are there before it waits for the FIFO's writer, and do nothing
// until then; the others come after that. Each child, and a second thread of it, calls getppid so
// often, then starts this program anew, under its own name, which does so, too. Out: what each of
// them did. With "worker N" it does nothing but N calls, after a moment: by whose name a thread is
// judged is asked when it is switched to. With "noise" it calls without end; with "noise N" it
// sleeps for N microseconds behind each thousand calls.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

void call(int times) {
  for (int i = 0; i < times; ++i) getppid();
}

std::string own_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length < 0 ? "" : std::string(path, static_cast<std::size_t>(length));
}

[[noreturn]] void be_child(int times) {
  call(times);
  std::thread(call, times).join();
  const std::string text = std::to_string(times);
  const pid_t worker = fork();
  if (worker == 0) {
    execl(own_path().c_str(), "kutrace-forking", "worker", text.c_str(), nullptr);
    _exit(1);
  }
  waitpid(worker, nullptr, 0);
  _exit(0);
}

// Waits until the other end is closed.
void wait_for_end(int pipe) {
  char byte = 0;
  while (read(pipe, &byte, 1) > 0) {
  }
}

int serve(const char* name, int children, int times, const char* fifo) {
  prctl(PR_SET_NAME, name);
  int gate[2];
  if (pipe(gate) != 0) return 1;
  for (int i = 0; i < children / 2; ++i)
    if (fork() == 0) {
      close(gate[1]);
      wait_for_end(gate[0]);
      be_child(times);
    }
  std::printf("pid=%d\nserver=%d\nchildren=%d\nworkers=%d\n", getpid(), times, 2 * children * times,
              children * times);
  std::fflush(stdout);
  wait_for_end(open(fifo, O_RDONLY));
  close(gate[1]);
  call(times);
  for (int i = children / 2; i < children; ++i)
    if (fork() == 0) be_child(times);
  while (wait(nullptr) > 0) {
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "noise") == 0)
    for (;;) call(1000);
  if (argc == 3 && std::strcmp(argv[1], "noise") == 0)
    for (const auto pause = static_cast<useconds_t>(std::atoi(argv[2]));; usleep(pause)) call(1000);
  if (argc == 3 && std::strcmp(argv[1], "worker") == 0) {
    usleep(1000);
    call(std::atoi(argv[2]));
    return 0;
  }
  return argc == 5 ? serve(argv[1], std::atoi(argv[2]), std::atoi(argv[3]), argv[4]) : 2;
}
