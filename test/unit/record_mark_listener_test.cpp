// SPDX-License-Identifier: BSD-3-Clause
// The page in which recorders tell programs that they listen to marks: what programs read there, as
// recorders come, go and are killed.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include "base/mapped_file.h"
#include "files/descriptor.h"
#include "kutrace/listeners.h"
#include "record/source/mark_listener.h"

using namespace kutrace;
using namespace kutrace::record;

namespace {

// A name that nothing has yet, and that is free again at the end.
class FreeName {
 public:
  FreeName() { remove(); }
  FreeName(const FreeName&) = delete;
  FreeName& operator=(const FreeName&) = delete;
  ~FreeName() { remove(); }
  const std::string& path() const { return path_; }
  std::string locks() const { return path_ + ".lock"; }

 private:
  void remove() const {
    unlink(path_.c_str());
    unlink(locks().c_str());
  }

  std::string path_ = "kutrace_marks." + std::to_string(getpid());
};

kutrace_listeners page_of(const std::string& path) {
  const auto file = MappedFile::open(path);
  REQUIRE(file);
  kutrace_listeners page{};
  REQUIRE(file->bytes().size() == sizeof page);
  std::memcpy(&page, file->bytes().data(), sizeof page);
  CHECK(page.magic == KUTRACE_LISTENERS_MAGIC);
  return page;
}

enum class Access { kRead, kWrite };

// Locks all of the page, as anybody can who may open it so.
files::Descriptor locked(const std::string& path, Access access) {
  const bool writes = access == Access::kWrite;
  files::Descriptor fd(open(path.c_str(), (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC));
  struct flock all{};
  all.l_type = writes ? F_WRLCK : F_RDLCK;
  REQUIRE(fcntl(fd.get(), F_OFD_SETLK, &all) == 0);
  return fd;
}

// Listens in a process of its own, which is then killed.
void listen_and_be_killed(const std::string& path) {
  int ready[2] = {-1, -1};
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto listener = MarkListener::announce(KUTRACE_BY_CALL, path);
    const char good = listener ? 1 : 0;
    if (write(ready[1], &good, 1) == 1) pause();
    _exit(1);
  }
  char good = 0;
  REQUIRE(read(ready[0], &good, 1) == 1);
  CHECK(good == 1);
  CHECK(page_of(path).carriers == KUTRACE_BY_CALL);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

}  // namespace

TEST_CASE("programs read who listens", "[record]") {
  const FreeName name;
  const std::string& path = name.path();
  const mode_t before = umask(0077);
  auto first = MarkListener::announce(KUTRACE_BY_WRITE, path);
  umask(before);
  REQUIRE(first);
  CHECK(first->made_the_page());
  struct stat about{};
  REQUIRE(stat(path.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0644);
  CHECK(about.st_nlink == 1);
  REQUIRE(stat(name.locks().c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
  std::optional<MarkListener> kept(std::move(*first));
  CHECK(page_of(path).carriers == KUTRACE_BY_WRITE);
  {
    const auto second = MarkListener::announce(KUTRACE_BY_CALL, path);
    REQUIRE(second);
    CHECK_FALSE(second->made_the_page());
    CHECK(page_of(path).carriers == (KUTRACE_BY_WRITE | KUTRACE_BY_CALL));
  }
  CHECK(page_of(path).carriers == KUTRACE_BY_WRITE);
  kept.reset();
  CHECK(page_of(path).carriers == 0);
}

TEST_CASE("marks are left in buffers while all who listen read them", "[record]") {
  constexpr std::uint32_t kReads = KUTRACE_BY_WRITE | KUTRACE_READS_BUFFERS;
  const FreeName name;
  const std::string& path = name.path();
  auto first = MarkListener::announce(kReads, path);
  REQUIRE(first);
  CHECK(page_of(path).carriers == (kReads | KUTRACE_BY_BUFFER));
  CHECK(page_of(path).slots[0] == kReads);
  {
    const auto second = MarkListener::announce(kReads, path);
    REQUIRE(second);
    CHECK(page_of(path).carriers == (kReads | KUTRACE_BY_BUFFER));
    const auto module = MarkListener::announce(KUTRACE_BY_CALL, path);
    REQUIRE(module);
    CHECK(page_of(path).carriers == (kReads | KUTRACE_BY_CALL));
  }
  CHECK(page_of(path).carriers == (kReads | KUTRACE_BY_BUFFER));
}

TEST_CASE("a recorder that was killed is forgotten by the next", "[record]") {
  const FreeName name;
  const std::string& path = name.path();
  listen_and_be_killed(path);
  CHECK(page_of(path).carriers == KUTRACE_BY_CALL);
  {
    const auto next = MarkListener::announce(KUTRACE_BY_WRITE, path);
    REQUIRE(next);
    CHECK(page_of(path).carriers == KUTRACE_BY_WRITE);
  }
  CHECK(page_of(path).carriers == 0);
}

TEST_CASE("a reader that locks the page prevents nothing", "[record]") {
  const FreeName name;
  const std::string& path = name.path();
  REQUIRE(MarkListener::announce(KUTRACE_BY_WRITE, path));
  const files::Descriptor reader = locked(path, Access::kRead);
  {
    const auto first = MarkListener::announce(KUTRACE_BY_WRITE, path);
    REQUIRE(first);
    const auto second = MarkListener::announce(KUTRACE_BY_CALL, path);
    REQUIRE(second);
    CHECK(page_of(path).carriers == (KUTRACE_BY_WRITE | KUTRACE_BY_CALL));
  }
  CHECK(page_of(path).carriers == 0);
}

TEST_CASE("a recorder that keeps the page to itself is not waited for without end", "[record]") {
  const FreeName name;
  const std::string& path = name.path();
  REQUIRE(MarkListener::announce(KUTRACE_BY_WRITE, path));
  const files::Descriptor writer = locked(path, Access::kWrite);
  const auto listener = MarkListener::announce(KUTRACE_BY_WRITE, path);
  REQUIRE_FALSE(listener);
  CHECK(listener.error().sentence.find("another recorder") != std::string::npos);
}

TEST_CASE("recorders that share only the page see each other", "[record]") {
  const FreeName name;
  const std::string& path = name.path();
  const auto here = MarkListener::announce(KUTRACE_BY_WRITE, path);
  REQUIRE(here);
  REQUIRE(unlink(name.locks().c_str()) == 0);
  {
    const auto elsewhere = MarkListener::announce(KUTRACE_BY_CALL, path);
    REQUIRE(elsewhere);
    CHECK(page_of(path).carriers == (KUTRACE_BY_WRITE | KUTRACE_BY_CALL));
  }
  CHECK(page_of(path).carriers == KUTRACE_BY_WRITE);
  REQUIRE(unlink(name.locks().c_str()) == 0);
  REQUIRE(mkdir(name.locks().c_str(), 0700) == 0);  // which nobody can lock
  {
    const auto without = MarkListener::announce(KUTRACE_BY_CALL, path);
    CHECK(without.has_value());
    CHECK(page_of(path).carriers == (KUTRACE_BY_WRITE | KUTRACE_BY_CALL));
  }
  CHECK(rmdir(name.locks().c_str()) == 0);
  CHECK(page_of(path).carriers == KUTRACE_BY_WRITE);
}

TEST_CASE("names are asked for again with each beat", "[record]") {
  const FreeName name;
  const std::string& path = name.path();
  auto listener = MarkListener::announce(KUTRACE_BY_WRITE, path);
  REQUIRE(listener);
  const std::uint32_t before = page_of(path).beat;
  listener->beat();
  CHECK(page_of(path).beat == before + 1);
  listener->keep_time();
  CHECK(page_of(path).beat == before + 2);
  listener->keep_time();
  CHECK(page_of(path).beat == before + 2);
}

TEST_CASE("what is no page stays as it is", "[record]") {
  const FreeName name;
  const std::string& path = name.path();
  std::ofstream(path) << "something else";
  const auto listener = MarkListener::announce(KUTRACE_BY_WRITE, path);
  REQUIRE_FALSE(listener);
  CHECK(listener.error().sentence.find("damaged") != std::string::npos);
  struct stat about{};
  REQUIRE(stat(path.c_str(), &about) == 0);
  CHECK(about.st_size == 14);
  CHECK_FALSE(MarkListener::announce(KUTRACE_BY_WRITE, path + "/marks"));
}
