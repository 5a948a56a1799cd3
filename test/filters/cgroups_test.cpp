// SPDX-License-Identifier: BSD-3-Clause
// Control groups: from /proc's text, to the processes of a trace, and as a choice of threads.
#include "model/cgroups.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "filters/families.h"
#include "filters/group_pieces.h"
#include "format/facts.h"
#include "model/processes.h"
#include "record/proc/cgroups.h"

namespace kutrace::test {
namespace {

ThreadLife life(std::uint32_t thread, Pid pid, Pid parent, Ns begin, Ns end) {
  ThreadLife life;
  life.thread = ThreadId{thread};
  life.pid = life.process = pid;
  life.parent = parent;
  life.begin = begin;
  life.end = end;
  return life;
}

Facts facts_of(const std::vector<std::string>& cgroups) {
  Facts facts;
  facts.add(fact::kCgroups, true);
  for (const std::string& cgroup : cgroups) facts.add(fact::kCgroup, cgroup);
  return facts;
}

// By number of thread.
std::vector<std::string> groups(const std::vector<ThreadLife>& lives, const Facts& facts) {
  Processes processes;
  for (const ThreadLife& one : lives) processes.add(one);
  processes.finish();
  const Cgroups cgroups(processes, facts);
  std::vector<std::string> paths;
  for (const ThreadLife& one : lives) paths.push_back(cgroups.of(processes.of(one.thread)));
  return paths;
}

TEST_CASE("a process has the control group that was told, or that of its parent") {
  const std::vector<ThreadLife> lives = {life(1, 10, 1, 0, 100), life(2, 20, 10, 30, 60),
                                         life(3, 30, 20, 40, 100), life(4, 40, 1, 0, 100)};
  CHECK(groups(lives, facts_of({"10 5 /a b"})) ==
        std::vector<std::string>{"/a b", "/a b", "/a b", "/"});
  CHECK(groups(lives, facts_of({"10 5 /a", "20 50 /b", "30 100 /c"})) ==
        std::vector<std::string>{"/a", "/b", "/c", "/"});
  CHECK(groups(lives, facts_of({"10 5 /a", "10 100 /b"}))[0] == "/b");
  CHECK(groups(lives, Facts())[0].empty());
  CHECK(groups(lives, facts_of({"", "10", "10 5", "x 5 /a", "99 5 /a"}))[0] == "/");
}

TEST_CASE("what is told behind the end of a process is told of a stranger that has its number") {
  const std::vector<ThreadLife> lives = {life(1, 10, 1, 0, 100), life(2, 20, 10, 30, 60),
                                         life(3, 30, 20, 40, 100)};
  CHECK(groups(lives, facts_of({"10 5 /a", "20 110 /b", "30 110 /c"})) ==
        std::vector<std::string>{"/a", "/a", "/c"});
}

TEST_CASE("what was told before a piece of a recording holds at its begin") {
  const std::vector<ThreadLife> lives = {life(1, 10, 1, 50, 100), life(2, 20, 1, 60, 100)};
  CHECK(groups(lives, facts_of({"10 5 /a", "20 5 /b"})) == std::vector<std::string>{"/a", "/"});
  CHECK(groups(lives, facts_of({"10 5 /a", "10 100 /b", "20 100 /c"})) ==
        std::vector<std::string>{"/b", "/c"});
}

TEST_CASE(
    "a group comes from a parent that has the larger number, too, and from none in a circle") {
  CHECK(groups({life(1, 10, 20, 0, 100), life(2, 20, 1, 0, 100)}, facts_of({"20 5 /a"})) ==
        std::vector<std::string>{"/a", "/a"});
  CHECK(groups({life(1, 10, 20, 0, 100), life(2, 20, 10, 0, 100)}, facts_of({})) ==
        std::vector<std::string>{"/", "/"});
}

TEST_CASE("groups that a process left are told") {
  Processes processes;
  processes.add(life(1, 10, 1, 0, 100));
  processes.add(life(2, 20, 10, 30, 60));
  processes.finish();
  const Cgroups cgroups(processes, facts_of({"10 5 /a", "10 50 /a", "10 100 /b"}));
  CHECK(cgroups.earlier(processes.of(ThreadId{1})) == std::vector<std::string>{"/a"});
  CHECK(!cgroups.is_inherited(processes.of(ThreadId{1})));
  CHECK(cgroups.earlier(processes.of(ThreadId{2})).empty());
  CHECK(cgroups.is_inherited(processes.of(ThreadId{2})));
}

// The same where moves are told.
Facts timed_facts_of(const std::vector<std::string>& cgroups) {
  Facts facts = facts_of(cgroups);
  facts.add(fact::kCgroupMoves, true);
  return facts;
}

constexpr Ns kMs = 1'000'000;

TEST_CASE("where moves are told, a process is in each group from when it is told so") {
  Processes processes;
  processes.add(life(1, 10, 1, 0, 100 * kMs));
  processes.finish();
  const ProcessId one = processes.of(ThreadId{1});
  const Cgroups cgroups(processes, timed_facts_of({"10 60000000 /c", "10 0 /a", "10 30000000 /b",
                                                   "10 31000000 /b", "10 100000000 /d"}));
  CHECK(cgroups.at_begin(one) == "/a");
  CHECK(cgroups.of(one, 30 * kMs - 1) == "/a");
  CHECK(cgroups.of(one, 30 * kMs) == "/b");
  CHECK(cgroups.of(one, 60 * kMs) == "/c");
  CHECK(cgroups.of(one) == "/c");  // that at its end is nothing to it
  CHECK(cgroups.moves(one).size() == 2);
  CHECK(cgroups.earlier(one).empty());
  CHECK_FALSE(cgroups.is_inherited(one));
}

TEST_CASE("a process begins in the group that its parent was in then") {
  const std::vector<ThreadLife> lives = {
      life(1, 10, 1, 0, 100 * kMs), life(2, 20, 10, 20 * kMs, 90 * kMs),
      life(3, 30, 10, 40 * kMs, 90 * kMs), life(4, 40, 20, 50 * kMs, 90 * kMs),
      life(5, 50, 20, 70 * kMs, 90 * kMs)};
  const Facts facts = timed_facts_of({"10 0 /a", "10 30000000 /b", "20 60000000 /c"});
  CHECK(groups(lives, facts) == std::vector<std::string>{"/b", "/c", "/b", "/a", "/c"});
  const Processes processes = processes_of(lives);
  const Cgroups cgroups(processes, facts);
  CHECK(cgroups.at_begin(processes.of(ThreadId{2})) == "/a");
  CHECK(cgroups.is_inherited(processes.of(ThreadId{2})));
  CHECK(cgroups.is_inherited(processes.of(ThreadId{5})));
  // Told to be where it was: no move. Made in a group of its own: told just behind its begin.
  CHECK(groups(lives, timed_facts_of({"10 0 /a", "20 50000000 /a"}))[1] == "/a");
  const Facts born = timed_facts_of({"10 0 /a", "20 20000900 /box"});
  CHECK(Cgroups(processes, born).at_begin(processes.of(ThreadId{2})) == "/box");
  CHECK(groups(lives, born)[4] == "/box");
}

TEST_CASE("of a number that is used again, each process has its own moves") {
  const std::vector<ThreadLife> lives = {life(1, 10, 1, 0, 40 * kMs), life(2, 20, 1, 0, 100 * kMs),
                                         life(3, 10, 20, 50 * kMs, 100 * kMs)};
  CHECK(groups(lives, timed_facts_of({"10 0 /a", "10 30000000 /b", "10 60000000 /c"})) ==
        std::vector<std::string>{"/b", "/", "/c"});
  CHECK(groups(lives, timed_facts_of({"10 0 /a", "10 60000000 /a"})) ==
        std::vector<std::string>{"/a", "/", "/a"});
}

TEST_CASE("the thread table tells groups where there are no lives") {
  TraceInfo info;
  info.facts = facts_of({"20 5 /a"});
  info.threads[10] = {.process = 10, .parent = 20};
  info.threads[11] = {.process = 10, .parent = 20};
  info.threads[20] = {.process = 20, .parent = 1};
  info.threads[30] = {.process = 30, .parent = 1};
  CHECK(cgroups_of_table(info) ==
        std::map<Pid, std::string>{{10, "/a"}, {11, "/a"}, {20, "/a"}, {30, "/"}});
  const std::vector<CgroupFact> inherited = inherited_cgroups(info);
  REQUIRE(inherited.size() == 1);
  CHECK(text_of(inherited.front()) == "10 0 /a");
  info.facts = {};
  CHECK(cgroups_of_table(info).empty());
}

TEST_CASE("a number that is used again is another process") {
  const std::vector<ThreadLife> lives = {life(1, 10, 1, 0, 40), life(2, 20, 1, 0, 100),
                                         life(3, 10, 20, 50, 100)};
  CHECK(groups(lives, facts_of({"10 5 /a", "20 5 /b"})) ==
        std::vector<std::string>{"/a", "/b", "/b"});
  CHECK(groups(lives, facts_of({"10 5 /a", "10 100 /c"})) ==
        std::vector<std::string>{"/a", "/", "/c"});
}

TEST_CASE("a choice by control group takes all threads of its processes") {
  std::vector<ThreadLife> lives = {life(1, 10, 1, 0, 100), life(2, 20, 1, 0, 100)};
  lives.push_back(life(3, 11, 1, 10, 90));
  lives.back().process = 10;
  filters::FamilyQuestion question;
  question.named = [](const ThreadLife&) { return false; };
  question.in_cgroup = [](const std::string& path) { return path == "/a"; };
  question.facts = facts_of({"10 5 /a", "20 5 /b"});
  CHECK(filters::family_of(lives, question).pids == std::unordered_set<Pid>{10, 11});
}

TEST_CASE("a choice by control group takes the pieces of a thread that lie in it") {
  const std::vector<ThreadLife> lives = {life(1, 10, 1, 0, 100 * kMs),
                                         life(2, 20, 1, 0, 100 * kMs)};
  filters::FamilyQuestion question;
  question.named = [](const ThreadLife&) { return false; };
  question.in_cgroup = [](const std::string& path) { return path == "/a"; };
  question.facts = timed_facts_of({"10 0 /a", "10 30000000 /b", "10 60000000 /a", "20 0 /a"});
  const filters::GroupPieces pieces(lives, question.facts);
  REQUIRE(pieces.of(ThreadId{1}).size() == 3);
  CHECK(pieces.of(ThreadId{2}).empty());
  question.pieces = &pieces;
  CHECK(filters::family_of(lives, question).threads ==
        std::unordered_set<ThreadId>{ThreadId{1}, pieces.of(ThreadId{1})[2].thread, ThreadId{2}});
  question.numbers = {10};  // or by its number: all of it
  CHECK(filters::family_of(lives, question).threads.size() == 4);
  question.numbers.clear();
  question.pieces = nullptr;
  CHECK(filters::family_of(lives, question).pids == std::unordered_set<Pid>{10, 20});
}

TEST_CASE("hierarchies are known by their numbers") {
  const record::CgroupHierarchies found =
      record::cgroup_hierarchies("9:name=systemd:/s\n8:pids:/\n1:cpu,cpuacct:/c\n0::/\nnonsense");
  CHECK(found.systemd == 9);
  CHECK(found.cpu == 1);
  CHECK(record::cgroup_hierarchies("0::/\n").systemd == 0);
}

TEST_CASE("a move out of the root also tells of the root") {
  record::ProcessCgroups groups;
  CHECK(groups.moved({7, 5, "/a"}) == std::vector<CgroupRecord>{{7, 5, "/a"}});
  CHECK(groups.moved({7, 6, "/"}) == std::vector<CgroupRecord>{{7, 6, "/"}});
  CHECK(groups.moved({7, 8, "/b"}) == std::vector<CgroupRecord>{{7, 6, "/"}, {7, 8, "/b"}});
  CHECK(groups.moved({7, 9, "/b"}) == std::vector<CgroupRecord>{{7, 9, "/b"}});
}

TEST_CASE("the hierarchy that tells most is taken") {
  CHECK(record::cgroup_path("0::/user.slice/x.scope\n") == "/user.slice/x.scope");
  CHECK(record::cgroup_path("4:memory:/m\n1:cpu,cpuacct:/c\n0::/\n") == "/c");
  CHECK(record::cgroup_path("4:memory:/m\n1:name=systemd:/s\n0::/v2\n") == "/v2");
  CHECK(record::cgroup_path("4:memory:/m\n1:name=systemd:/s:t\n0::/\n") == "/s:t");
  CHECK(record::cgroup_path("4:memory:/m\n2:pids:/p\n") == "/m");
  CHECK(record::cgroup_path("0::/\n") == "/");
  CHECK(record::cgroup_path("nonsense").empty());
}

}  // namespace
}  // namespace kutrace::test
