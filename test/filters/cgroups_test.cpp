// SPDX-License-Identifier: BSD-3-Clause
// Control groups: from /proc's text, to the processes of a trace, and as a choice of threads.
#include "model/cgroups.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "filters/families.h"
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
