// SPDX-License-Identifier: BSD-3-Clause
// Modes, limits and accidents: each has a clear outcome, a file that can be read, and no hooks
// left.
#include <bpf/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "kutrace/event_numbers.h"
#include "live/live_support.h"

namespace kutrace::live {

namespace {

constexpr const char* kBusy = "$PATTERN /dev/shm/kutrace-live-data >/dev/null";

// For the shell: waits until something stands in a file, so that what writes it has begun.
std::string until_begun(const std::string& file) {
  return "for i in $(seq 100); do [ -s " + file + " ] && break; sleep 0.1; done; ";
}

using Ids = std::set<std::uint32_t>;

// Programs that a process holds.
Ids programs_of(const std::string& process) {
  Ids held;
  std::istringstream ids(
      shell("cat /proc/" + process + "/fdinfo/* 2>/dev/null | sed -n 's/^prog_id:'//p").out);
  for (std::uint32_t id = 0; ids >> id;) held.insert(id);
  return held;
}

// Those of them that are loaded.
Ids loaded(const Ids& programs) {
  Ids found;
  for (std::uint32_t id = 0; bpf_prog_get_next_id(id, &id) == 0;)
    if (programs.contains(id)) found.insert(id);
  return found;
}

// The kernel frees programs a little after their last descriptor is closed.
bool go_away(const Ids& programs) {
  for (int tries = 0; tries < 100 && !loaded(programs).empty(); ++tries) usleep(100'000);
  return loaded(programs).empty();
}

bool says(const Outcome& outcome, const char* text) {
  return outcome.err.find(text) != std::string::npos;
}

// Whether all that was lost are interrupts sent while their CPU was in the program that records the
// sending of another. The kernel skips these, and counts them: one in millions of events.
bool only_skips_ipis(const Outcome& outcome) {
  static const std::regex kSkips(
      "warning: ([0-9]) entr(y|ies) lost; the trace says where\n"
      ".*the kernel skipped runs of hooks: ipi_send_cpu(mask)? \\1 \\(");
  return std::regex_search(outcome.err, kSkips);
}

std::uintmax_t size_of(const std::string& path) { return std::filesystem::file_size(path); }

}  // namespace

TEST_CASE("the command's exit code is passed on") {
  if (!can_record()) return;
  const Folder folder;
  const std::string record = "$KUTRACE record -o " + folder.file("t.raw");
  CHECK(shell(record + " -- sh -c 'exit 7'").status == 7);
  CHECK(shell(record + " -- sh -c 'kill -9 $$'").status == 128 + 9);
  require_law(folder.file("t.raw"));
}

TEST_CASE("standard output gets the whole trace and nothing of the command's") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("piped.raw");
  const Outcome done = shell(
      "{ $KUTRACE record -o - -- sh -c 'echo to-stderr; exit 5'; echo status $? >&2; } | cat > " +
      trace);
  CHECK(says(done, "status 5\n"));
  CHECK(says(done, "to-stderr"));
  require_law(trace);
  CHECK(read_file(trace).find("to-stderr\n") == std::string::npos);
}

TEST_CASE("standard output by any other name gets nothing of the command's, either") {
  if (!can_record()) return;
  for (const std::string place : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/fd/3"}) {
    const Folder folder;
    const std::string trace = folder.file("t.raw");
    const std::string text = folder.file("t.txt");
    const Outcome done = shell("$KUTRACE record -o " + place + " -- sh -c 'echo to-stderr' > " +
                               trace + " 3>&1; $KUTRACE count syscall:getppid -o " + place +
                               " -- echo to-stderr-too > " + text + " 3>&1");
    CAPTURE(place, done.err);
    CHECK(says(done, "to-stderr\n"));
    CHECK(says(done, "to-stderr-too\n"));
    require_law(trace);
    CHECK(read_file(text).find("to-stderr") == std::string::npos);
  }
}

// The numbers that a process in a PID namespace knows name other threads in a trace.
TEST_CASE("in a PID namespace nothing is said of threads by its numbers") {
  if (!can_record()) return;
  // Where / is no mount, as in a chroot, how mounts spread cannot be changed, and need not be.
  const std::string inside = "unshare --pid --fork --mount-proc --propagation unchanged ";
  const Outcome possible = shell(inside + "true");
  if (possible.status != 0) return skip("no PID namespace can be made: " + possible.err);
  const Folder folder;
  const std::string trace = folder.file("inside.raw");
  const Outcome recorded = shell(inside + "$KUTRACE record -o " + trace + " -- true");
  INFO(recorded.out << recorded.err);
  REQUIRE(recorded.status == 0);
  require_law(trace);
  const std::string info = shell("$KUTRACE info " + trace).out;
  INFO(info);
  CHECK(info.find("is in a PID namespace") != std::string::npos);
  CHECK(info.find("recorder_pid") == std::string::npos);
  CHECK(info.find("command_pid") == std::string::npos);
  const Outcome filtered = shell(inside + "$KUTRACE record --pid 1 -o " + trace + " -- true");
  INFO(filtered.err);
  CHECK(filtered.status == 4);
  CHECK(says(filtered, "--pid=host"));
}

TEST_CASE("in a time namespace a recording has the times of the machine") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  const Outcome outcome =
      shell("unshare -T --monotonic 100000 true 2> /dev/null || exit 77; " +
            ("unshare -T --monotonic 100000 $KUTRACE record -o " + trace) + " -- sleep 0.1");
  if (outcome.status == 77) return skip("no time namespace can be made");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  CHECK(start_ns(trace) < (now.tv_sec + 1) * 1'000'000'000);
  CHECK(shell("$KUTRACE info " + trace + " | grep -E '^recorded +0\\.'").status == 0);
  require_law(trace);
}

TEST_CASE("a device is written to, never replaced") {
  if (!can_record()) return;
  const auto null = std::filesystem::status("/dev/null").type();
  for (const char* mode : {"stream", "fill"}) {
    const Outcome done =
        shell(std::string("$KUTRACE record -o /dev/null --mode ") + mode + " -- true");
    CHECK(done.status == 0);
  }
  CHECK(shell("$KUTRACE record -o /dev/null -- /no/such/program").status == 127);
  CHECK(std::filesystem::status("/dev/null").type() == null);
}

TEST_CASE("a command that cannot run leaves no file") {
  if (!can_record()) return;
  const Folder folder;
  const std::string record = "$KUTRACE record -o " + folder.file("t.raw") + " -- ";
  const Outcome missing = shell(record + folder.file("nothing"));
  CHECK(missing.status == 127);
  CHECK(says(missing, "cannot run"));
  const Outcome forbidden = shell(record + "/etc/passwd");
  CHECK(forbidden.status == 126);
  CHECK_FALSE(std::filesystem::exists(folder.file("t.raw")));
}

TEST_CASE("wrap keeps no more than the buffer and says what came before") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  const Outcome outcome =
      shell("$KUTRACE record --mode wrap --buffer-mb 4 -o " + trace + " -- sh -c '" +
            "for i in 1 2 3 4 5 6 7 8; do " + kBusy + "; done; " +
            "dd if=/dev/zero of=/dev/null bs=1 count=1500000 2>/dev/null'");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(size_of(trace) <= (5u << 20));
  CHECK(size_of(trace) > (2u << 20));
  require_law(trace);
  CHECK(shell("$KUTRACE info " + trace).out.find("discarded_events") != std::string::npos);
}

TEST_CASE("fill stops when the buffer is full") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  const Outcome outcome = shell("$KUTRACE record --mode fill --buffer-mb 2 -o " + trace +
                                " -- dd if=/dev/zero of=/dev/null bs=1 count=1000000");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(says(outcome, "the buffer is full"));
  require_law(trace);
}

// The recorder is kept from giving out blocks for so long that a CPU is without one, which is a
// loss; then blocks are there again.
TEST_CASE("fill uses the whole buffer, though CPUs were out of blocks before") {
  if (!can_record()) return;
  const Folder folder;
  const std::uint64_t cpus = std::thread::hardware_concurrency();
  const std::string trace = folder.file("t.raw");
  // While the recorder stands still, twice what all CPUs have ahead of an eighth of the buffer;
  // then twice the buffer.
  const Outcome outcome =
      shell("$KUTRACE record --mode fill --buffer-mb 8 -o " + trace +
            " -- sh -c 'kill -STOP $PPID; dd if=/dev/zero of=/dev/null bs=1 count=" +
            std::to_string(100'000 * cpus) +
            "; kill -CONT $PPID; dd if=/dev/zero of=/dev/null bs=1 count=1000000'");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(says(outcome, "the buffer is full"));
  CHECK(says(outcome, "entries lost"));
  require_law(trace);
  // Two blocks stay with each other CPU, and each has one that is not full.
  CHECK(size_of(trace) >> 16 >= 8 * 16 - 3 * cpus);
}

TEST_CASE("a limit of the file leaves room for the last block of each CPU") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  // A recorder that comes late finds many blocks in one round.
  const Outcome outcome =
      shell("$KUTRACE record --max-size 1MB -o " + trace +
            " -- sh -c '(sleep 0.3; kill -STOP $PPID; sleep 0.5; kill -CONT $PPID) & "
            "for i in $(seq $(nproc)); do taskset -c $((i - 1)) dd if=/dev/zero of=/dev/null bs=1 "
            "count=1000000 2>&- & done; wait'");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(says(outcome, "--max-size"));
  CHECK(size_of(trace) <= (1u << 20));
  require_law(trace);
  const Outcome without_last = shell("$KUTRACE query --format csv " + trace +
                                     " \"select l.cpu from losses l where l.reason = 'limit "
                                     "reached' and not exists (select 1 from "
                                     "spans s where s.cpu = l.cpu and s.start_ns >= l.end_ns)\"");
  CHECK(without_last.status == 0);
  CHECK(without_last.out == "cpu\n");
}

TEST_CASE("stream ends before the file is larger than allowed") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  const Outcome outcome = shell("$KUTRACE record --max-size 1MB -o " + trace +
                                " -- dd if=/dev/zero of=/dev/null bs=1 count=1000000");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(says(outcome, "--max-size"));
  CHECK(shell("$KUTRACE record --mode wrap --max-size 1MB -o " + trace + " -- true").status == 2);
  CHECK(size_of(trace) <= (1u << 20));
  require_law(trace);
}

TEST_CASE("a storm of new processes is streamed without loss") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  const Outcome outcome =
      shell("$KUTRACE record -o " + trace +
            " --duration 10 -- timeout 10 sh -c 'while :; do /bin/true; /bin/true & done'");
  INFO(outcome.err);
  CHECK((says(outcome, "nothing lost") || only_skips_ipis(outcome)));
  require_law(trace);
}

TEST_CASE("Ctrl-C ends the recording and leaves a whole file") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  const Outcome outcome = shell("$KUTRACE record -o " + trace + " & r=$!; " + until_begun(trace) +
                                "sleep 0.5; kill -INT $r; wait $r");
  INFO(outcome.err);
  CHECK(says(outcome, "nothing lost"));
  require_law(trace);
}

TEST_CASE("hooks go with the recorder, though its command goes on") {
  if (!can_record()) return;
  for (const char* signal : {"INT", "SEGV", "KILL"}) {
    const Folder folder;
    const std::string trace = folder.file("t.raw");
    const Outcome started =
        shell("$KUTRACE record -o " + trace + " -- sleep 5 & echo $!; " + until_begun(trace));
    const std::string process = started.out.substr(0, started.out.find('\n'));
    const Ids programs = programs_of(process);
    CAPTURE(signal, process, started.err);
    REQUIRE(programs.size() > 10);
    if (loaded(programs) != programs) return skip("this kernel does not list loaded programs");
    REQUIRE(shell(std::string("kill -") + signal + " " + process).status == 0);
    CHECK(go_away(programs));
  }
}

TEST_CASE("a killed recorder leaves a file that can be read") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  shell("$KUTRACE record -o " + trace + " & r=$!; " + until_begun(trace) + kBusy +
        "; sleep 0.3; kill -9 $r");
  REQUIRE(size_of(trace) >= 65536);
  require_law(trace);
}

TEST_CASE("what cannot be recorded is refused before anything starts") {
  if (!can_record()) return;
  const Folder folder;
  const std::string record = "$KUTRACE record -o " + folder.file("t.raw");
  for (const char* option : {" --max-size 1", " --buffer-mb 0", " --buffer-mb 1000000"}) {
    const Outcome refused = shell(record + option + " -- touch " + folder.file("ran"));
    INFO(option << ": " << refused.err);
    CHECK(refused.status == 2);
    CHECK_FALSE(std::filesystem::exists(folder.file("ran")));
    CHECK_FALSE(std::filesystem::exists(folder.file("t.raw")));
  }
}

// The kernel's limit is the whole machine's: another one is only shown, and its refusal feigned.
TEST_CASE("samples that the kernel refuses are told before the start, and in the trace") {
  if (!can_record()) return;
  const Folder folder;
  const std::string limit = "/proc/sys/kernel/perf_event_max_sample_rate";
  const Outcome outcome = shell(
      "cd " + folder.file("") + "; echo 1000 > limit; unshare -m sh -c 'mount --bind limit " +
      limit + " && exec strace -f -o /dev/null -e trace=perf_event_open " +
      "-e inject=perf_event_open:error=EINVAL $KUTRACE record -o t.raw --samples 5000 -- true' " +
      "|| exit 77; $KUTRACE info t.raw | grep -c '^unseen.*samples.*max_sample_rate is 1000'");
  if (outcome.status == 77) return skip("no strace, or no mount: refused samples were not tried");
  CHECK(outcome.out == "1\n");
  CHECK(says(outcome, "'sysctl kernel.perf_event_max_sample_rate=5000' permits so many"));
}

// Wherever the files end: in the thread that makes the buffer, between two programs, at a hook.
TEST_CASE("too few files are told in one way, whoever notices") {
  if (!can_record()) return;
  const Folder folder;
  for (int files = 18; files < 80; files += 6) {
    const Outcome few = shell("ulimit -n " + std::to_string(files) + "; $KUTRACE record -o " +
                              folder.file("t.raw") + " -- touch " + folder.file("ran"));
    INFO(files << ": " << few.err);
    REQUIRE(few.status == 4);
    CHECK(says(few, "Too many open files"));
    CHECK(says(few, "ulimit -n 1024"));
    CHECK_FALSE(says(few, "processed"));  // the verifier's words
    CHECK_FALSE(std::filesystem::exists(folder.file("ran")));
  }
}

TEST_CASE("a command is recorded from its first instruction to its last") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  for (int round = 0; round < 5; ++round) {
    const Outcome outcome =
        shell("$KUTRACE record -q -o " + trace + " -- sh -c 'echo $$; exec true'");
    const std::int64_t pid = std::stoll(outcome.out);
    std::vector<std::uint32_t> calls;
    for (const Seen& seen : events_of(trace)) {
      if (seen.pid == pid && seen.event >= 0x800 && (seen.event & 0x200) == 0)
        calls.push_back(seen.event & 0x1ff);
    }
    INFO(outcome.err);
    const auto of = [](long number) { return static_cast<std::uint32_t>(number); };
    // The recorder's child starts the shell, the shell starts true; ld.so's first call is brk.
    auto first = std::ranges::find(calls, of(SYS_execve));
    REQUIRE(calls.end() - first > 2);
    while (first[1] == of(SYS_execve)) ++first;
    CHECK(first[1] == of(SYS_brk));
    const auto second = std::find(first + 1, calls.end(), of(SYS_execve));
    REQUIRE(calls.end() - second > 2);
    CHECK(std::ranges::count(calls, of(SYS_exit_group)) == 1);
    CHECK(calls.back() == of(SYS_exit_group));
    require_law(trace);
  }
}

TEST_CASE("each interrupt is of its own vector, and comes with its return") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  // A spinning CPU has timer interrupts; a task that is moved to another CPU interrupts it.
  shell("$KUTRACE record -q --no-merge -o " + trace +
        " -- sh -c 'taskset 1 sh -c \"i=0; while [ \\$i -lt 200000 ]; do i=\\$((i+1)); done\"'");
  std::map<std::uint32_t, int> seen;
  for (const Seen& event : events_of(trace)) ++seen[event.event];
  for (const std::uint32_t entry : {KUTRACE_IRQ_LOCAL_TIMER, KUTRACE_IRQ_CALL_SINGLE,
                                    KUTRACE_IRQ_CALL_MANY, KUTRACE_IRQ_RESCHEDULE}) {
    INFO(std::hex << entry);
    // At the bounds of the recording one may stand without the other.
    CHECK(std::abs(seen[entry] - seen[entry | KUTRACE_RETURN_BIT]) <= 8);
  }
  CHECK(seen[KUTRACE_IRQ_LOCAL_TIMER] > 5);
  CHECK(seen[KUTRACE_IRQ_CALL_SINGLE] > 0);
  CHECK(seen[KUTRACE_IRQ_SPURIOUS] == 0);
}

TEST_CASE("what start and end take is told by part, to who asks") {
  if (!can_record()) return;
  const Folder folder;
  const std::string record = "$KUTRACE record -o " + folder.file("t.raw");
  const Outcome told = shell(record + " -v -- true");
  INFO(told.err);
  for (const char* part : {"ms: load the programs", "ms: attach the hooks", "ms: read the threads",
                           "ms: start", "ms: stop", "ms: take the hooks off"})
    CHECK(says(told, part));
  CHECK_FALSE(says(shell(record + " -- true"), "ms: "));
}

TEST_CASE("record, info and check count the same events; quiet says nothing") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("t.raw");
  const Outcome outcome = shell("$KUTRACE record -o " + trace + " -- true");
  const std::size_t at = outcome.err.find(trace + ": ");
  REQUIRE(at != std::string::npos);
  const std::size_t from = at + trace.size() + 2;
  const std::string events = outcome.err.substr(from, outcome.err.find(' ', from) - from);
  CHECK(shell("$KUTRACE check " + trace).out.find(": " + events + " events") != std::string::npos);
  CHECK(shell("$KUTRACE info " + trace).out.find(events + " in ") != std::string::npos);
  const Outcome quiet = shell("$KUTRACE record -q -o " + trace + " -- true");
  CHECK(quiet.err.find("info:") == std::string::npos);
}

TEST_CASE("a recorder says that another one runs, and so does its trace") {
  if (!can_record()) return;
  const Folder folder;
  const std::string first = folder.file("first.raw");
  const std::string second = folder.file("second.raw");
  const Outcome outcome = shell("$KUTRACE record -q -o " + first + " --duration 30 & r=$!; " +
                                until_begun(first + "*") + "$KUTRACE record -o " + second +
                                " -- true; kill -INT $r; wait $r");
  INFO(outcome.err);
  CHECK(says(outcome, "recorders that run already"));
  CHECK(shell("$KUTRACE info " + second).out.find("other_recorders") != std::string::npos);
}

TEST_CASE("two recorders at once both record everything") {
  if (!can_record()) return;
  const Folder folder;
  const Outcome outcome =
      shell("$KUTRACE record -o " + folder.file("a.raw") + " --duration 2 & $KUTRACE record -o " +
            folder.file("b.raw") + " --duration 2; wait $!");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  require_law(folder.file("a.raw"));
  require_law(folder.file("b.raw"));
}

TEST_CASE("a full disk ends the recording with a file that can be read") {
  if (!can_record()) return;
  const Folder folder;
  const std::string disk = folder.file("small");
  std::filesystem::create_directory(disk);
  if (shell("mount -t tmpfs -o size=1m tmpfs " + disk).status != 0) {
    WARN("cannot mount a small file system: a full disk was not tried");
    return;
  }
  const Outcome outcome = shell("$KUTRACE record -o " + disk +
                                "/t.raw -- dd if=/dev/zero of=/dev/null bs=1 count=1000000");
  INFO(outcome.err);
  CHECK(outcome.status == 5);
  CHECK(says(outcome, "No space left"));
  require_law(disk + "/t.raw");
  shell("umount " + disk);
}

TEST_CASE("the file of a full disk says what is missing in it, and how long was recorded") {
  if (!can_record()) return;
  const Folder folder;
  const std::string disk = folder.file("small");
  const std::string trace = disk + "/t.raw";
  std::filesystem::create_directory(disk);
  if (shell("mount -t tmpfs -o size=2m tmpfs " + disk).status != 0) {
    WARN("cannot mount a small file system: a full disk was not tried");
    return;
  }
  // The disk is full before the recording ends, up to what the file has already.
  const Outcome outcome =
      shell("$KUTRACE record -o " + trace + " -- sh -c 'sleep 1; cat /dev/zero > " + disk +
            "/rest; dd if=/dev/zero of=/dev/null bs=1 count=300000'");
  const Outcome info = shell("$KUTRACE info " + trace);
  shell("umount " + disk);
  INFO(outcome.err << info.out);
  CHECK(outcome.status == 5);
  CHECK(says(outcome, "No space left"));
  CHECK(says(outcome, " lost; the trace says where"));
  REQUIRE(info.status == 0);
  CHECK(info.out.find("the file could not be written") != std::string::npos);
  CHECK(info.out.find("written last") != std::string::npos);
  CHECK(info.out.find(" entries, disk") != std::string::npos);
  CHECK(info.out.find("damage") == std::string::npos);
}

TEST_CASE("without the capabilities it says what is missing and how to get it") {
  if (!can_record()) return;
  const Folder folder;
  const Outcome outcome = shell(
      "setpriv --bounding-set=-all --inh-caps=-all --reuid=65534 --regid=65534 "
      "--clear-groups $KUTRACE record -o /dev/shm/kutrace-live-none.raw -- true");
  INFO(outcome.err);
  if (says(outcome, "Permission denied") && !says(outcome, "hint")) {
    WARN("another user cannot run the program from here: missing capabilities were not tried");
    return;
  }
  CHECK(outcome.status == 4);
  CHECK(says(outcome, "CAP_BPF"));
  CHECK(says(outcome, "hint"));
  CHECK_FALSE(std::filesystem::exists("/dev/shm/kutrace-live-none.raw"));
}

TEST_CASE("the module cannot be chosen where it is not loaded") {
  const Outcome outcome = shell("$KUTRACE record --source module -- true");
  CHECK(outcome.status == 4);
  CHECK(says(outcome, "not loaded"));
}

}  // namespace kutrace::live
