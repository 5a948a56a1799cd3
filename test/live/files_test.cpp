// SPDX-License-Identifier: BSD-3-Clause
// Where a recording goes, whose it is, and what it tells of its command.
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "live/live_support.h"

namespace kutrace::live {

namespace {

constexpr const char* kAsNobody = "SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody ";
constexpr uid_t kNobody = 65534;

struct stat facts_of(const std::string& path) {
  struct stat facts{};
  REQUIRE(stat(path.c_str(), &facts) == 0);
  return facts;
}

// Starts a recorder into `path`, does `meanwhile` once it records, and lets it end.
Outcome while_recording(const std::string& mode, const std::string& path, const std::string& goes,
                        const std::string& meanwhile) {
  return shell("$KUTRACE record --buffer-mb 4 --mode " + mode + " -o " + path +
               " -- sh -c 'echo > " + goes + "; while [ -e " + goes + " ]; do sleep 0.1; done' & " +
               "r=$!; for i in $(seq 300); do [ -e " + goes + " ] && break; sleep 0.1; done; ( " +
               meanwhile + " ); rm " + goes + "; wait $r");
}

}  // namespace

TEST_CASE("nothing is written to a place that is being recorded to") {
  if (!can_record()) return;
  for (const char* mode : {"stream", "wrap"}) {
    const Folder folder;
    const std::string trace = folder.file("t.raw");
    const std::string other = folder.file("other.raw");
    REQUIRE(shell("$KUTRACE record -o " + other + " --duration 0.2").status == 0);
    std::filesystem::create_symlink("t.raw", folder.file("link.raw"));
    const std::string say = "; echo status=$? >&2; ";
    std::string meanwhile = "ls " + folder.file("") + " >&2; ";
    for (const std::string& name : {trace, folder.file("link.raw"), folder.file("./t.raw")}) {
      meanwhile += "$KUTRACE record --duration 0.1 -o " + name + say;
      meanwhile += "$KUTRACE trim --first 1ms " + other + " -o " + name + say;
      meanwhile += "$KUTRACE raw cut --to 1ms " + other + " -o " + name + say;
    }
    meanwhile += "for part in " + trace + ".*.part; do [ ! -e $part ] || { $KUTRACE report " +
                 other + " -o $part" + say + "}; done";
    const Outcome outcome = while_recording(mode, trace, folder.file("goes"), meanwhile);
    CAPTURE(mode, outcome.err);
    CHECK(outcome.status == 0);
    require_law(trace);
    std::istringstream lines(outcome.err);
    int refused = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("status=", 0) != 0) continue;
      CHECK(line == "status=5");
      ++refused;
    }
    CHECK(refused == (std::string(mode) == "wrap" ? 10 : 9));
  }
}

namespace {

// What somebody does to the file of a recording, and where it is then found; empty: it is lost.
struct Harm {
  const char* what;
  std::string act;
  std::string found;
  const char* says;
};

}  // namespace

TEST_CASE("what happens to a recording's file meanwhile is told, and the recording saved") {
  if (!can_record()) return;
  const Folder folder;
  const std::string place = folder.file("place");
  const std::string trace = place + "/t.raw";
  const std::string saved = folder.file("saved");
  const std::string moved = folder.file("moved.raw");
  const std::string away = folder.file("away");
  const std::vector<Harm> harms = {
      {"removed", "rm " + trace, saved, "was removed or replaced"},
      {"replaced", "echo other > " + place + "/n; mv " + place + "/n " + trace, saved, "replaced"},
      {"its folder removed", "rm -r " + place, saved, "was removed or replaced"},
      {"moved", "mv " + trace + " " + moved, moved, "was moved or replaced"},
      {"its folder moved", "mv " + place + " " + away, away + "/t.raw", "was moved or replaced"},
      {"a link in its stead", "mv " + trace + " " + moved + "; ln -s /etc/passwd " + trace, moved,
       "was moved or replaced"},
      {"cut", "truncate -s 100000 " + trace, "", "was changed by somebody else"},
      {"emptied", ": > " + trace, "", "was changed by somebody else"},
      {"longer", "echo more >> " + trace, "", "was changed by somebody else"},
  };
  for (const Harm& harm : harms) {
    for (const std::string& path : {place, saved, moved, away}) std::filesystem::remove_all(path);
    std::filesystem::create_directory(place);
    std::filesystem::create_directory(saved);
    setenv("TMPDIR", saved.c_str(), 1);
    const Outcome outcome = while_recording("stream", trace, folder.file("goes"),
                                            "[ -e " + trace + " ] || exit; " + harm.act);
    unsetenv("TMPDIR");
    CAPTURE(harm.what, outcome.err);
    CHECK(outcome.status == 5);
    CHECK(outcome.err.find(harm.says) != std::string::npos);
    if (harm.found.empty()) {
      CHECK(outcome.err.find("lost") != std::string::npos);
      continue;
    }
    std::string found = harm.found;
    if (found == saved) {
      const auto first = std::filesystem::directory_iterator(saved);
      REQUIRE(first != std::filesystem::directory_iterator());
      found = first->path().string();
    }
    CHECK(outcome.err.find("the recording is in " + found + " instead") != std::string::npos);
    require_law(found);
  }
}

TEST_CASE("a file that cannot be kept as .old is told of before the start") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  for (const char* make : {"mkdir ", "ln -s /etc/passwd ", "mkfifo "}) {
    std::ofstream(trace) << "precious";
    REQUIRE(shell(make + trace + ".old").status == 0);
    const Outcome outcome =
        shell("$KUTRACE record -o " + trace + " -- touch " + folder.file("ran"));
    CAPTURE(make, outcome.err);
    CHECK(outcome.status == 5);
    CHECK(outcome.err.find(trace + ".old: is ") != std::string::npos);
    CHECK(read_file(trace) == "precious");
    CHECK_FALSE(std::filesystem::exists(folder.file("ran")));
    std::filesystem::remove(trace + ".old");
  }
}

TEST_CASE("a recording keeps the one before it") {
  if (!can_record()) return;
  for (const char* mode : {"stream", "fill"}) {
    const Folder folder;
    const std::string trace = folder.file("t.raw");
    std::ofstream(trace) << "precious";
    const std::string record = std::string("$KUTRACE record --mode ") + mode + " -o " + trace;
    CHECK(shell(record + " -- /no/such/program").status == 127);
    CHECK(read_file(trace) == "precious");
    REQUIRE(shell(record + " -- true").status == 0);
    CHECK(read_file(trace + ".old") == "precious");
    require_law(trace);
  }
}

TEST_CASE("a recording is its owner's alone, and made as the user who called sudo") {
  if (!can_record()) return;
  if (geteuid() != 0) {
    WARN("SKIPPED: only root can record for another user");
    return;
  }
  for (const char* mode : {"stream", "wrap"}) {
    const Folder folder;
    const std::string his = folder.file("home");
    const std::string shadow = folder.file("shadow");
    std::filesystem::create_directory(his);
    std::filesystem::permissions(folder.file(""), std::filesystem::perms(0755));
    REQUIRE(chown(his.c_str(), kNobody, kNobody) == 0);
    std::ofstream(shadow) << "secret";
    const std::string record = std::string("umask 0; $KUTRACE record --mode ") + mode + " -o ";
    const std::string sudo =
        "umask 0; " + std::string(kAsNobody) + "$KUTRACE record --mode " + mode + " -o ";

    REQUIRE(shell(record + folder.file("mine.raw") + " -- true").status == 0);
    CHECK((facts_of(folder.file("mine.raw")).st_mode & 07777) == 0600);
    REQUIRE(shell(sudo + his + "/t.raw -- true").status == 0);
    CHECK(facts_of(his + "/t.raw").st_uid == kNobody);
    CHECK((facts_of(his + "/t.raw").st_mode & 07777) == 0600);
    require_law(his + "/t.raw");

    std::filesystem::create_symlink(shadow, his + "/link.raw");
    REQUIRE(lchown((his + "/link.raw").c_str(), kNobody, kNobody) == 0);
    for (const std::string& place : {shadow, his + "/link.raw", folder.file("new.raw")}) {
      const Outcome outcome = shell(sudo + place + " -- true");
      CAPTURE(mode, place, outcome.err);
      CHECK(outcome.status == 5);
    }
    CHECK(read_file(shadow) == "secret");
    CHECK(facts_of(shadow).st_uid == 0);
    CHECK_FALSE(std::filesystem::exists(folder.file("new.raw")));
  }
}

TEST_CASE("a command line that is to be hidden is in no file") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  const std::string command = " -- sh -c 'exit 0' --password=hunter2";
  REQUIRE(shell("$KUTRACE record -o " + trace + command).status == 0);
  // In the file a long text is in pieces; info joins them.
  CHECK(shell("$KUTRACE info " + trace).out.find("hunter2") != std::string::npos);
  const std::string hidden = folder.file("hidden.raw");
  REQUIRE(
      shell("$KUTRACE record --title 'the login' --hide-command -o " + hidden + command).status ==
      0);
  CHECK(read_file(hidden).find("hunter2") == std::string::npos);
  CHECK(shell("$KUTRACE info " + hidden).out.find("hunter2") == std::string::npos);
  CHECK(shell("$KUTRACE spans " + hidden).out.find("\"title\" : \"the login\"") !=
        std::string::npos);
}

// Numbers that no call has, told apart from all others by their argument.
TEST_CASE("a system call that does not exist is not shown under another's name") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  const Outcome outcome =
      shell("$KUTRACE record --events syscalls,sched -o " + trace +
            " -- python3 -c 'import ctypes\n"
            "c = ctypes.CDLL(None)\n"
            "for n in [-1, -7, *range(490, 1023), 1024, 1535, 2048, 4096, 65536, 65541, 1 << 20]:\n"
            "    c.syscall(ctypes.c_long(n), ctypes.c_long(0x5a17))'");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  std::istringstream spans(
      shell("$KUTRACE dump --stage spans " + trace + " | grep ' syscall .* 23063 '").out);
  int seen = 0;
  for (std::string line; std::getline(spans, line);) {
    ++seen;
    const std::string name = line.substr(line.find('"'));
    CAPTURE(line);
    CHECK((name.rfind("\"unknown_call\"", 0) == 0 || name.rfind("\"sys#", 0) == 0));
  }
  CHECK(seen >= 530);
}

}  // namespace kutrace::live
