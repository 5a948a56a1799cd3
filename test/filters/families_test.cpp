// SPDX-License-Identifier: BSD-3-Clause
// Which threads belong to those that are asked for.
#include "filters/families.h"

#include <catch2/catch.hpp>

#include "model/table_lives.h"

namespace kutrace::test {
namespace {

using filters::ChosenThreads;

std::unordered_set<ThreadId> threads(std::initializer_list<std::uint32_t> ids) {
  std::unordered_set<ThreadId> set;
  for (const std::uint32_t id : ids) set.insert(ThreadId{id});
  return set;
}

ThreadLife lived(std::uint32_t thread, Pid pid, Pid process, Pid parent, Ns begin, Ns end) {
  ThreadLife life;
  life.thread = ThreadId{thread};
  life.pid = pid;
  life.process = process;
  life.parent = parent;
  life.begin = begin;
  life.end = end;
  return life;
}

ChosenThreads by_number(const std::vector<ThreadLife>& lives, Pid number, bool children) {
  const auto nobody = [](const ThreadLife&) { return false; };
  return filters::family_of(lives, {{number}, nobody, children});
}

}  // namespace

TEST_CASE("a process is its threads, its family also its children's") {
  TraceInfo info;
  const auto add = [&](Pid pid, Pid process, Pid parent) {
    info.threads[pid].process = process;
    info.threads[pid].parent = parent;
  };
  add(10, 10, 1);
  add(11, 10, 1);
  add(20, 20, 10);
  add(21, 20, 10);
  add(5, 5, 20);  // a grandchild whose number is lower
  add(30, 30, 1);
  const std::vector<ThreadLife> lives = lives_of(info);
  const ChosenThreads process = by_number(lives, 10, false);
  CHECK(process.pids == std::unordered_set<Pid>{10, 11});
  CHECK(process.threads.empty());
  CHECK(by_number(lives, 10, true).pids == std::unordered_set<Pid>{10, 11, 20, 21, 5});
  CHECK(by_number(lives, 11, false).pids == std::unordered_set<Pid>{11});
  CHECK(by_number(lives, 11, true).pids == std::unordered_set<Pid>{11, 20, 21, 5});
}

// Thread 11 is of process 10, and later one of process 30 has the number.
TEST_CASE("a process has the threads of its life, whoever has their numbers later") {
  const std::vector<ThreadLife> lives = {lived(1, 10, 10, 1, 0, 100), lived(2, 11, 10, 1, 10, 20),
                                         lived(3, 30, 30, 1, 0, 100), lived(4, 11, 30, 1, 50, 60)};
  CHECK(by_number(lives, 10, false).threads == threads({1, 2}));
  CHECK(by_number(lives, 30, false).threads == threads({3, 4}));
  // A number means all that had it.
  CHECK(by_number(lives, 11, false).threads == threads({2, 4}));
}

// Two processes have number 10 in turn; each has a child.
TEST_CASE("a child is that of the process that had its parent's number when it began") {
  const std::vector<ThreadLife> lives = {lived(1, 10, 10, 1, 0, 50), lived(2, 20, 20, 10, 10, 90),
                                         lived(3, 10, 10, 1, 60, 99), lived(4, 21, 21, 10, 70, 90)};
  const auto is_first = [](const ThreadLife& life) { return life.thread == ThreadId{1}; };
  const auto is_second = [](const ThreadLife& life) { return life.thread == ThreadId{3}; };
  CHECK(filters::family_of(lives, {{}, is_first, true}).threads == threads({1, 2}));
  CHECK(filters::family_of(lives, {{}, is_second, true}).threads == threads({3, 4}));
  CHECK(by_number(lives, 10, true).threads == threads({1, 2, 3, 4}));
}

TEST_CASE("a name that a process's first thread had stands for the process") {
  const std::vector<ThreadLife> lives = {lived(1, 10, 10, 1, 0, 50), lived(2, 11, 10, 1, 0, 50)};
  const auto is_first = [](const ThreadLife& life) { return life.pid == 10; };
  const auto is_other = [](const ThreadLife& life) { return life.pid == 11; };
  CHECK(filters::family_of(lives, {{}, is_first, false}).threads == threads({1, 2}));
  CHECK(filters::family_of(lives, {{}, is_other, false}).threads == threads({2}));
}

// Such a thread goes on with its process's number.
TEST_CASE("a thread that got another number is chosen by both") {
  const std::vector<ThreadLife> lives = {lived(1, 10, 10, 1, 0, 50), lived(2, 12, 10, 1, 0, 50),
                                         lived(2, 10, 10, 1, 50, 90)};
  CHECK(by_number(lives, 12, false).threads == threads({2}));
  CHECK(by_number(lives, 10, false).threads == threads({1, 2}));
}

}  // namespace kutrace::test
