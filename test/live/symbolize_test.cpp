// SPDX-License-Identifier: BSD-3-Clause
// Samples of a known program get the names of its functions, here and on a machine that has only
// the files; a program that has changed since names nothing.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <sstream>
#include <vector>

#include "live/live_support.h"

namespace kutrace::live {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord =
    "$KUTRACE record --source ebpf --events sched,samples --samples 1000 ";

// The sample spans of a trace, as `kutrace dump` writes them.
class Samples {
 public:
  explicit Samples(const std::string& trace) {
    std::istringstream lines(shell("$KUTRACE dump --stage spans " + trace).out);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(" sample ") != std::string::npos) lines_.push_back(std::move(line));
    }
  }

  // How many have a name that matches.
  int named(const std::string& pattern, const std::string& pid = "[0-9]+") const {
    const std::regex wanted(" " + pid + " sample .* \"" + pattern + "\" pc=");
    return static_cast<int>(
        std::count_if(lines_.begin(), lines_.end(),
                      [&](const std::string& line) { return std::regex_search(line, wanted); }));
  }

 private:
  std::vector<std::string> lines_;
};

std::string command_pid(const std::string& trace) {
  const std::string info = shell("$KUTRACE info " + trace).out;
  std::smatch found;
  REQUIRE(std::regex_search(info, found, std::regex("command_pid[= ]+([0-9]+)")));
  return found[1];
}

// A folder that holds the program alone: what else runs on the machine is sampled as well, and has
// symbols without end.
std::string root_with_spin(const Folder& folder) {
  const std::string root = folder.file("root");
  REQUIRE(shell("mkdir -p " + root + "$(dirname $SPIN) && cp $SPIN " + root + "$SPIN").status == 0);
  return " --root " + root + " ";
}

}  // namespace

TEST_CASE("the hot function of a program is named, with its lines") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("trace.raw");
  const Outcome run = shell(kRecord + ("-o " + trace) + " -- $SPIN 600");
  REQUIRE(run.status == 0);
  auto spin = values(run.out);
  require_law(trace);
  const std::string pid = command_pid(trace);

  // What the recorder stored is enough to tell the file, and the kernel's functions.
  const Samples plain(trace);
  CHECK(plain.named("\\[kutrace-spin-1\\]", pid) > 200);
  CHECK(plain.named("", pid) < plain.named(".*", pid) / 5);

  const std::string named = folder.file("named.raw");
  const std::string root = root_with_spin(folder);
  const Outcome symbolized = shell("$KUTRACE symbolize" + root + trace + " -o " + named);
  INFO(symbolized.err);
  require_law(named);
  const Samples symbols(named);
  const int all = symbols.named(".*", pid);
  const int hot = symbols.named("hot::spin_here\\(unsigned int, unsigned int\\)", pid);
  CHECK(hot > 200);
  CHECK(hot > all * 9 / 10);
  const std::string profile = shell("$KUTRACE profile --by threads " + named).out;
  CHECK(profile.find("hot::spin_here") != std::string::npos);

  const std::string piped = folder.file("piped");
  shell("$KUTRACE symbolize --format raw" + root + "- -o - <" + trace + " >" + piped);
  CHECK(read_file(piped) == read_file(named));

  const std::string lines = folder.file("lines.json");
  shell("$KUTRACE symbolize --lines" + root + trace + " -o " + lines);
  const std::string json = read_file(lines);
  const std::regex place("PC=hot::spin_here\\([^)]*\\)_\\(spin\\.cpp:([0-9]+)\\)");
  int places = 0;
  for (std::sregex_iterator at(json.begin(), json.end(), place), end; at != end; ++at, ++places) {
    const int line = std::stoi((*at)[1]);
    CHECK(line >= spin["first"]);
    CHECK(line <= spin["last"]);
  }
  CHECK(places == hot);
}

TEST_CASE("inlined functions are named before the one they became a part of") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("trace.raw");
  REQUIRE(shell(kRecord + ("-o " + trace) + " -- $SPIN 400").status == 0);
  const std::string named = folder.file("named.raw");
  shell("$KUTRACE symbolize --inline" + root_with_spin(folder) + trace + " -o " + named);
  const Samples samples(named);
  const int inlined =
      samples.named("hot::mix\\(unsigned int\\) < hot::spin_here.*|mix < hot::spin_here.*");
  CHECK(inlined > 100);
  CHECK(inlined > samples.named(".*hot::spin_here.*") / 2);
}

TEST_CASE(
    "code that was made at run time is named by what its program told perf, the vdso by itself") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("trace.raw");
  REQUIRE(shell(kRecord + ("-o " + trace) + " -- $MADE 600 " + folder.file("")).status == 0);
  const std::string pid = command_pid(trace);
  CHECK(Samples(trace).named("made at run time", pid) == 0);
  CHECK(Samples(trace).named("\\[vdso\\]", pid) > 20);

  const std::string named = folder.file("named.raw");
  const std::string root = " --root " + folder.file("") + " ";
  shell("$KUTRACE symbolize" + root + trace + " -o " + named);
  CHECK(Samples(named).named("made at run time", pid) == 0);
  CHECK(Samples(named).named(".*clock_gettime.*", pid) > 20);
  const std::string maps = "--perf-maps " + folder.file("") + " ";
  shell("$KUTRACE symbolize" + root + maps + trace + " -o " + named);
  CHECK(Samples(named).named("made at run time", pid) > 20);
}

TEST_CASE("in perf's own folder, code is named by files of root and of this user alone") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("trace.raw");
  REQUIRE(shell(kRecord + ("-o " + trace) + " -- $MADE 400 /tmp").status == 0);
  const std::string pid = command_pid(trace);
  const std::string map = "/tmp/perf-" + pid + ".map";
  const std::string named = folder.file("named.raw");
  const std::string symbolize =
      "$KUTRACE symbolize --root " + folder.file("") + " " + trace + " -o " + named;
  shell(symbolize);
  CHECK(Samples(named).named("made at run time", pid) > 20);
  REQUIRE(shell("chown 65534 " + map).status == 0);
  const Outcome foreign = shell(symbolize);
  CHECK(foreign.err.find("belongs to another user") != std::string::npos);
  CHECK(Samples(named).named("made at run time", pid) == 0);
  REQUIRE(shell("rm " + map).status == 0);
}

TEST_CASE("maps and kernel symbols that come from elsewhere name a trace that holds none") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("trace.raw");
  const std::string bare = folder.file("bare.json");
  const std::string maps = folder.file("maps");
  const std::string kernel = folder.file("kallsyms");
  const Outcome run = shell(
      "$SPIN 700 >/dev/null & sleep 0.2; (echo \"==== /proc/$!/maps\"; cat /proc/$!/maps) > " +
      maps + "; " + kRecord + "-o " + trace + " -- sleep 0.3; echo pid=$!; wait $!");
  REQUIRE(run.status == 0);
  const std::string pid = std::to_string(values(run.out).at("pid"));
  // Span JSON holds addresses of samples, neither maps nor symbols.
  REQUIRE(shell("$KUTRACE spans " + trace + " -o " + bare).status == 0);
  const std::string named = folder.file("named.html");
  const std::string symbolize = "$KUTRACE symbolize" + root_with_spin(folder);

  const Outcome refused = shell(symbolize + "--maps " + maps + " " + bare + " -o " + named);
  CHECK(refused.status == 1);
  CHECK(refused.err.find("does not hold its build-id") != std::string::npos);
  CHECK(Samples(named).named("hot::spin_here.*", pid) == 0);
  shell(symbolize + "--unidentified --maps " + maps + " " + bare + " -o " + named);
  CHECK(Samples(named).named("hot::spin_here.*", pid) > 2);

  // One function that is all of the kernel.
  REQUIRE(shell("echo 'ffffffff80000000 T all_of_it' > " + kernel +
                "; echo 'ffffffffff000000 T behind' >> " + kernel)
              .status == 0);
  shell(symbolize + "--kallsyms " + kernel + " " + bare + " -o " + named);
  const std::string json = read_file(bare);
  const std::regex nameless("641, [0-9]+, 0, [0-9]+, \"PC=ffffffff");
  const auto expected = std::distance(std::sregex_iterator(json.begin(), json.end(), nameless), {});
  CHECK(Samples(named).named("all_of_it") == expected);
  const Outcome empty = shell(symbolize + "--kallsyms /dev/null " + bare + " -o " + named);
  CHECK(empty.status == 3);
  CHECK(empty.err.find("contains no addresses of symbols") != std::string::npos);
  const Outcome mapless = shell(symbolize + "--maps /dev/null " + bare + " -o " + named);
  CHECK(mapless.status == 3);
  CHECK(mapless.err.find("holds no memory maps") != std::string::npos);
}

TEST_CASE("a program that has changed names nothing, on this machine or another") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("trace.raw");
  const std::string program = folder.file("program");
  const std::string other = folder.file("other");
  REQUIRE(shell("cp $SPIN " + program).status == 0);
  REQUIRE(shell(kRecord + ("-o " + trace) + " -- " + program + " 300").status == 0);
  const std::string pid = command_pid(trace);

  const fs::path moved = other + fs::absolute(program).string();
  const fs::path changed = folder.file("changed") + fs::absolute(program).string();
  fs::create_directories(moved.parent_path());
  fs::create_directories(changed.parent_path());
  fs::rename(program, moved);
  REQUIRE(shell("cp $SPIN_OTHER " + changed.string()).status == 0);
  const std::string named = folder.file("named.raw");
  const Outcome refused =
      shell("$KUTRACE symbolize --root " + folder.file("changed") + " " + trace + " -o " + named);
  CHECK(refused.status == 1);
  CHECK(refused.err.find("it has changed: its build-id is") != std::string::npos);
  const Samples without(named);
  CHECK(without.named(".*spin_here.*") == 0);
  CHECK(without.named("\\[program\\]", pid) > 100);

  const Outcome elsewhere =
      shell("$KUTRACE symbolize --root " + other + " " + trace + " -o " + named);
  INFO(elsewhere.err);
  CHECK(Samples(named).named("hot::spin_here.*", pid) > 100);
}

TEST_CASE("code of a process that began before the recording, and of its children, is known") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("trace.raw");
  const Outcome run = shell("$SPIN 60000 >/dev/null & sleep 0.1; " + std::string(kRecord) + "-o " +
                            trace + " -- $SPIN 400; kill $!");
  REQUIRE(run.status == 0);
  const std::string named = folder.file("named.raw");
  shell("$KUTRACE symbolize" + root_with_spin(folder) + trace + " -o " + named);
  const Samples samples(named);
  const int all = samples.named("hot::spin_here.*");
  const int of_command = samples.named("hot::spin_here.*", command_pid(trace));
  CHECK(of_command > 100);
  CHECK(all - of_command > 50);
  // The names survive cutting and joining.
  const std::string front = folder.file("front.raw");
  const std::string back = folder.file("back.raw");
  const std::string both = folder.file("both.raw");
  REQUIRE(shell("$KUTRACE raw cut --to 0.2 " + named + " -o " + front).status == 0);
  REQUIRE(shell("$KUTRACE raw cut --from 0.25 " + named + " -o " + back).status == 0);
  REQUIRE(shell("$KUTRACE raw concat " + front + " " + back + " -o " + both).status == 0);
  const int parts =
      Samples(front).named("hot::spin_here.*") + Samples(back).named("hot::spin_here.*");
  CHECK(parts > 50);
  CHECK(Samples(both).named("hot::spin_here.*") == parts);
}

}  // namespace kutrace::live
