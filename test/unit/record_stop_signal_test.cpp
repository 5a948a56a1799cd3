// SPDX-License-Identifier: BSD-3-Clause
// What signals do to a process that writes a file: who sent them decides.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "files/new_file.h"
#include "record/run/stop_signal.h"

using namespace kutrace;

namespace {

constexpr int kWentOn = 42;
constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

enum class Asks { kNothing, kToEnd };

class Folder {
 public:
  Folder() { REQUIRE(mkdtemp(path_.data()) != nullptr); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file() const { return path_ + "/out"; }
  bool is_empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::string path_ = "/tmp/kutrace-signals-XXXXXX";
};

// How a process ends that begins a file and then does something.
template <typename Act>
int status_of(const Folder& folder, Asks asks, Act act) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);  // Catch has handlers
    record::end_orderly_on_signals();
    std::optional<record::StopSignal> stop;
    if (asks == Asks::kToEnd) stop.emplace();
    auto file = files::NewFile::create(folder.file(), files::NewFile::Purpose::kResult);
    if (!file || folder.is_empty()) _exit(1);
    act();
    if (asks == Asks::kToEnd && record::StopSignal::received() == 0) _exit(2);
    if (!file->take_name()) _exit(3);
    _exit(kWentOn);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

void fault() {
  void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *static_cast<volatile char*>(page) = 1;
}

// A process of its own, so that the sender is another one.
void sent_from_outside(int number) {
  const pid_t target = getpid();
  const pid_t sender = fork();
  if (sender == 0) {
    kill(target, number);
    _exit(0);
  }
  waitpid(sender, nullptr, 0);
}

}  // namespace

TEST_CASE("a fault ends the process as ever, whatever it was asked, and takes its file along") {
  for (const Asks asks : {Asks::kNothing, Asks::kToEnd}) {
    const Folder folder;
    const int status = status_of(folder, asks, fault);
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGSEGV);
    CHECK(folder.is_empty());
  }
}

TEST_CASE("what a process sends itself ends it, as abort does") {
  for (const int number : kFaults) {
    const Folder folder;
    const int status = status_of(folder, Asks::kToEnd, [number] { raise(number); });
    CAPTURE(number);
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == number);
    CHECK(folder.is_empty());
  }
}

TEST_CASE("the same from outside ends a recording in order, and anything else without its file") {
  for (const int number : kFaults) {
    CAPTURE(number);
    const Folder recorded;
    const int asked = status_of(recorded, Asks::kToEnd, [number] { sent_from_outside(number); });
    REQUIRE(WIFEXITED(asked));
    CHECK(WEXITSTATUS(asked) == kWentOn);
    CHECK(std::filesystem::exists(recorded.file()));
    const Folder read;
    const int ended = status_of(read, Asks::kNothing, [number] { sent_from_outside(number); });
    REQUIRE(WIFSIGNALED(ended));
    CHECK(WTERMSIG(ended) == number);
    CHECK(read.is_empty());
  }
}

TEST_CASE("a child that is ended leaves its parent's file alone") {
  const Folder folder;
  const int status = status_of(folder, Asks::kNothing, [] {
    const pid_t child = fork();
    if (child == 0) {
      raise(SIGTERM);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == kWentOn);
}

TEST_CASE("a mapped file that becomes shorter is an input that cannot be used") {
  const Folder folder;
  const int status = status_of(folder, Asks::kNothing, [] {
    const int file = memfd_create("short", 0);
    void* page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    [[maybe_unused]] const char byte = *static_cast<volatile char*>(page);
  });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 3);
  CHECK(folder.is_empty());
}
