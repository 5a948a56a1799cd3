// SPDX-License-Identifier: BSD-3-Clause
// What a command has of its caller, and which signals reach it through the recorder.
#include <catch2/catch.hpp>
#include <csignal>
#include <string>

#include "live/live_support.h"

namespace kutrace::live {

namespace {

// Notes each SIGTERM and SIGHUP that it gets, says that it has started, and ends with 7 after three
// seconds.
constexpr const char* kNotes =
    " -- sh -c 'trap \"echo t >> got\" TERM; trap \"echo h >> got\" HUP; echo > started; "
    "n=0; while [ $n -lt 60 ]; do sleep 0.05; n=$((n+1)); done; exit 7' & r=$!; "
    "for i in $(seq 300); do [ -e started ] && break; sleep 0.1; done; sleep 0.7; ";

}  // namespace

TEST_CASE("signals that come while the recorder waits for its command go to the command") {
  if (!can_record()) return;
  std::signal(SIGHUP, SIG_DFL);  // who started the tests may have ignored it, as nohup does
  for (const char* tool : {"record --duration 0.2", "count syscall:getppid --for 0.2"}) {
    const Folder folder;
    const Outcome outcome =
        shell("cd " + folder.file("") + "; $KUTRACE " + tool + kNotes +
              "for s in INT TERM HUP INT TERM; do kill -$s $r; sleep 0.2; done; wait $r");
    CAPTURE(tool, outcome.err);
    CHECK(outcome.status == 7);
    CHECK(read_file(folder.file("got")) == "t\nh\nt\n");
  }
}

TEST_CASE("a signal that comes after the one that ended the recording reaches the command") {
  if (!can_record()) return;
  const Folder folder;
  const Outcome outcome = shell("cd " + folder.file("") + "; $KUTRACE record" + kNotes +
                                "kill -INT $r; kill -TERM $r; wait $r");
  INFO(outcome.err);
  CHECK(outcome.status == 7);
  CHECK(read_file(folder.file("got")) == "t\n");
}

TEST_CASE("a command that outlives its recording ends with the recorder") {
  if (!can_record()) return;
  const Folder folder;
  const Outcome outcome =
      shell("cd " + folder.file("") + "; $KUTRACE record --duration 0.2 -- " +
            "sh -c 'echo $$ > started; exec sleep 47' & r=$!; for i in $(seq 300); do " +
            "[ -s started ] && break; sleep 0.1; done; sleep 1; kill -TERM $r; wait $r; s=$?; " +
            "[ -e /proc/$(cat started) ] && echo stays; exit $s");
  INFO(outcome.err);
  CHECK(outcome.status == 128 + 15);
  CHECK(outcome.out.empty());
}

TEST_CASE("a command has the niceness and the ignored signals of the recorder's caller") {
  if (!can_record()) return;
  const Folder folder;
  // The C library has the first two of the upper 32 signals for itself.
  const std::string look = " sh -c 'nice; grep SigIgn /proc/self/status | tail -c 9'";
  const Outcome outcome = shell("cd " + folder.file("") + "; trap '' INT TERM PIPE USR1; nice" +
                                look + "; nice $KUTRACE record -- " + look);
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  const std::size_t half = outcome.out.size() / 2;
  CHECK(outcome.out.substr(0, half) == outcome.out.substr(half));
  CHECK(outcome.out.starts_with("10\n"));
}

TEST_CASE("a command of mark or overhead has the ignored signals of its caller, too") {
  if (!can_record()) return;
  for (const char* tool : {"mark x", "overhead --rounds 2 --warmup 0"}) {
    const Folder folder;
    const std::string look = " sh -c 'grep SigIgn /proc/self/status > ignored.";
    const Outcome outcome = shell("cd " + folder.file("") + "; trap '' HUP INT TERM USR1;" + look +
                                  "here'; $KUTRACE " + tool + " --" + look + "there'");
    CAPTURE(tool, outcome.err);
    CHECK(outcome.status == 0);
    CHECK(read_file(folder.file("ignored.here")) == read_file(folder.file("ignored.there")));
  }
}

TEST_CASE("a command's end is noticed though the caller ignores SIGCHLD, and the command does") {
  if (!can_record()) return;
  for (const char* tool : {"record", "count syscall:getppid", "mark x"}) {
    const Folder folder;
    const Outcome outcome =
        shell("cd " + folder.file("") + "; timeout -s KILL 60 env --ignore-signal=CHLD $KUTRACE " +
              tool + " -- sed -n '/SigIgn:.*1....$/q 3' /proc/self/status");  // SIGCHLD is 17
    CAPTURE(tool, outcome.err);
    CHECK(outcome.status == 3);
  }
}

TEST_CASE("mark passes SIGTERM on to its command, and marks its end") {
  if (!can_record()) return;
  const Folder folder;
  const Outcome outcome =
      shell("cd " + folder.file("") + "; $KUTRACE record -o t.raw -- sh -c '$KUTRACE mark svc -- " +
            "sh -c \"echo > started; exec sleep 20\" & m=$!; while ! [ -e started ]; do " +
            "sleep 0.1; done; kill -TERM $m; wait $m; echo $?'; " +
            "$KUTRACE dump --stage spans t.raw | grep -c 'svc\"'");
  INFO(outcome.err);
  CHECK(outcome.out == "143\n2\n");
}

TEST_CASE("a command may run on the CPUs that its caller may, present or not") {
  if (!can_record()) return;
  const Folder folder;
  const std::string look = "grep Cpus_allowed: /proc/self/status";
  const Outcome outcome =
      shell("cd " + folder.file("") + "; " + look + "; $KUTRACE record -- " + look);
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  const std::size_t half = outcome.out.size() / 2;
  CHECK(outcome.out.substr(0, half) == outcome.out.substr(half));
}

TEST_CASE("a recording of more files than the caller may have ends well, and its command has few") {
  if (!can_record()) return;
  const Folder folder;
  const Outcome outcome = shell("cd " + folder.file("") +
                                "; ulimit -Sn 24; $KUTRACE record -o t.raw -- sh -c 'ulimit -Sn'");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "24\n");
  require_law(folder.file("t.raw"));
}

}  // namespace kutrace::live
