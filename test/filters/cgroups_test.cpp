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
