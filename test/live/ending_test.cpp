// SPDX-License-Identifier: BSD-3-Clause
// However a recording ends, and whatever prevents it, what was recorded can be read.
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "live/live_support.h"

namespace kutrace::live {

namespace {

bool says(const Outcome& outcome, const std::string& text) {
  return outcome.err.find(text) != std::string::npos;
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  return names;
}

// In the background, until $started exists: the command runs, so the recording has begun.
constexpr const char* kWaitForStart =
    "for i in $(seq 300); do [ -e $started ] && break; sleep 0.1; done; ";

// All whose default is to end a process, but SIGKILL. Those that tell of a fault do not if somebody
// sends them.
std::vector<int> ending_signals() {
  std::vector<int> signals{SIGHUP,  SIGINT,  SIGQUIT,   SIGPIPE, SIGALRM, SIGTERM,
                           SIGUSR1, SIGUSR2, SIGXCPU,   SIGXFSZ, SIGIO,   SIGVTALRM,
                           SIGPROF, SIGPWR,  SIGSTKFLT, SIGSEGV, SIGBUS,  SIGFPE,
                           SIGILL,  SIGABRT, SIGTRAP,   SIGSYS};
  signals.push_back(SIGRTMIN);
  signals.push_back(SIGRTMAX);
  return signals;
}

}  // namespace

TEST_CASE("every signal that would end a flight recorder leaves a trace that can be read") {
  if (!can_record()) return;
  const Folder folder;
  std::string all;
  for (const int number : ending_signals()) {
    const std::string name = std::to_string(number);
    all += "( started=" + folder.file("started." + name) +
           "; $KUTRACE record --mode wrap --buffer-mb 2 -o " + folder.file(name + ".raw") +
           " -- sh -c \"echo > $started; exec sleep 2\" & r=$!; " + kWaitForStart + "kill -" +
           name + " $r; kill -" + name + " $r; wait $r ) & ";
    if (number % 4 == 0) all += "wait; ";
  }
  const Outcome outcome = shell(all + "wait");
  INFO(outcome.err);
  for (const int number : ending_signals()) {
    CAPTURE(number);
    const std::string trace = folder.file(std::to_string(number) + ".raw");
    REQUIRE(std::filesystem::exists(trace));
    require_law(trace);
  }
}

TEST_CASE("timeout, which sends SIGTERM twice, loses nothing of a flight recorder") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  const std::string started = folder.file("started");
  // What ends `timeout` makes it end the command in both of its ways, too.
  const Outcome outcome =
      shell("started=" + started + "; timeout 600 $KUTRACE record --mode wrap --buffer-mb 2 -o " +
            trace + " -- sh -c \"echo > $started; exec sleep 2\" & t=$!; " + kWaitForStart +
            "kill -TERM $t; wait $t; rm $started; for i in $(seq 100); do [ -e " + trace +
            " ] && break; sleep 0.1; done");
  INFO(outcome.err);
  require_law(trace);
  CHECK(files_in(folder.file("")) == std::vector<std::string>{"t.raw"});
}

TEST_CASE("signals that the caller ignores do not end a recording") {
  if (!can_record()) return;
  const Folder folder;
  const std::string started = folder.file("started");
  const Outcome outcome =
      shell("started=" + started + "; nohup $KUTRACE record -o " + folder.file("t.raw") +
            " -- sh -c \"echo > $started; sleep 1; exit 9\" & r=$!; " + kWaitForStart +
            "kill -HUP $r; wait $r");
  INFO(outcome.err);
  CHECK(outcome.status == 9);
  require_law(folder.file("t.raw"));
}

TEST_CASE("a recording that finds no room at its place is saved at another") {
  if (!can_record()) return;
  for (const char* mode : {"wrap", "fill"}) {
    const Folder folder;
    const std::string disk = folder.file("small");
    const std::string saved = folder.file("saved");
    std::filesystem::create_directory(disk);
    std::filesystem::create_directory(saved);
    // Smaller than what is kept even if a CPU runs out of blocks before all are used.
    if (shell("mount -t tmpfs -o size=256k tmpfs " + disk).status != 0) {
      WARN("SKIPPED: cannot mount a small file system: a full disk was not tried");
      return;
    }
    const Outcome outcome =
        shell("TMPDIR=" + saved + " $KUTRACE record --buffer-mb 4 --mode " + mode + " -o " + disk +
              "/t.raw -- dd if=/dev/zero of=/dev/null bs=1 count=1000000");
    CAPTURE(mode, outcome.err);
    CHECK(files_in(disk).empty());
    shell("umount " + disk);
    CHECK(outcome.status == 5);
    CHECK(says(outcome, "No space left"));
    REQUIRE(files_in(saved).size() == 1);
    const std::string trace = saved + "/" + files_in(saved).front();
    CHECK(says(outcome, "the recording is in " + trace + " instead"));
    require_law(trace);
  }
}

TEST_CASE("a recording whose folder goes while it starts is saved, and its command waited for") {
  if (!can_record()) return;
  for (const char* act : {"rm -r place", "mkdir place/t.raw"}) {
    const Folder folder;
    std::filesystem::create_directory(folder.file("place"));
    std::filesystem::create_directory(folder.file("saved"));
    const Outcome outcome =
        shell("cd " + folder.file("") + "; TMPDIR=$PWD/saved $KUTRACE record -o place/t.raw -- " +
              "sh -c 'sleep 0.5; echo > ended' & r=$!; while ! ls place/*.part > out 2> err; do " +
              "sleep 0.01; done; " + act + "; wait $r; s=$?; cat ended && exit $s");
    CAPTURE(act, outcome.err);
    CHECK(outcome.status == 5);
    REQUIRE(files_in(folder.file("saved")).size() == 1);
    const std::string trace = folder.file("saved") + "/" + files_in(folder.file("saved")).front();
    CHECK(says(outcome, "saved/" + files_in(folder.file("saved")).front() + " instead"));
    require_law(trace);
    CHECK_FALSE(std::filesystem::exists(folder.file("place/t.raw.old")));
  }
}

TEST_CASE("a flight recorder whose file may nowhere be so large says what is lost") {
  if (!can_record()) return;
  const Folder folder;
  const Outcome outcome =
      shell("cd " + folder.file("") + "; TMPDIR=. ; export TMPDIR; ulimit -f 64; $KUTRACE record " +
            "--mode wrap --buffer-mb 2 -o t.raw -- sh -c 'exit 7'");
  INFO(outcome.err);
  CHECK(outcome.status == 5);
  CHECK(says(outcome, "File too large"));
  CHECK(says(outcome, "what was recorded is lost"));
  CHECK(files_in(folder.file("")).empty());
}

TEST_CASE("a stream whose file may not grow says so and keeps what fits") {
  if (!can_record()) return;
  const Folder folder;
  const Outcome outcome = shell("ulimit -f 2048; $KUTRACE record -o " + folder.file("t.raw") +
                                " -- dd if=/dev/zero of=/dev/null bs=1 count=1000000");
  INFO(outcome.err);
  CHECK(outcome.status == 5);
  CHECK(says(outcome, "File too large"));
  require_law(folder.file("t.raw"));
}

TEST_CASE("what can be known before the start is said before the start") {
  if (!can_record()) return;
  const Folder folder;
  const std::string record = "$KUTRACE record -o " + folder.file("t.raw");
  const Outcome nothing = shell("EMPTY=; " + record + " -- $EMPTY");
  CHECK(nothing.status == 2);
  CHECK(says(nothing, "no command after --"));
  CHECK(shell(record + " -- ''").status == 127);
  CHECK(shell(record + " -- " + folder.file("")).status == 126);
  const Outcome nowhere = shell("$KUTRACE record -o " + folder.file("no/where.raw") + " -- touch " +
                                folder.file("ran"));
  CHECK(nowhere.status == 5);
  for (const char* size : {"0", "99999999"}) {
    const Outcome odd = shell(record + " --buffer-mb " + size + " -- touch " + folder.file("ran"));
    CAPTURE(size, odd.err);
    CHECK(odd.status == 2);
  }
  // None of it opened a source: the first thing that one has to say of itself.
  for (const Outcome& outcome : {nothing, nowhere}) CHECK_FALSE(says(outcome, "own cost"));
  CHECK(files_in(folder.file("")).empty());
}

TEST_CASE("Ctrl-C while the recorder starts does not start the command") {
  if (!can_record()) return;
  const Folder folder;
  const Outcome outcome =
      shell("$KUTRACE record -o " + folder.file("t.raw") + " -- touch " + folder.file("ran") +
            " & r=$!; for i in $(seq 1000); do set -- " + folder.file("t.raw") +
            ".*.part; [ -e \"$1\" ] && break; sleep 0.01; done; kill -INT $r; "
            "wait $r");
  INFO(outcome.err);
  CHECK(outcome.status == 130);
  CHECK(files_in(folder.file("")).empty());
}

}  // namespace kutrace::live
