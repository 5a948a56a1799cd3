// SPDX-License-Identifier: BSD-3-Clause
// What sources are told of a filter, and control groups in the texts of /proc.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

#include "record/proc/cgroup_folders.h"
#include "record/proc/pid_namespace.h"
#include "record/source/packet_filter.h"
#include "record/source/thread_filter.h"

using namespace kutrace;
using namespace kutrace::record;

namespace {

// As the programs and the module compare.
bool passes(const kutrace_filter_name& name, std::string_view comm) {
  std::uint64_t words[2] = {};
  std::memcpy(words, comm.data(), std::min(comm.size(), sizeof words - 1));
  return ((words[0] ^ name.name[0]) & name.mask[0]) == 0 &&
         ((words[1] ^ name.name[1]) & name.mask[1]) == 0;
}

kutrace_filter_name settings_of(const std::string& name) {
  ThreadFilter filter;
  filter.names = {name};
  return filter.settings().name[0];
}

}  // namespace

TEST_CASE("a name of a filter is all of a name, or its beginning", "[record]") {
  CHECK(passes(settings_of("nginx"), "nginx"));
  CHECK_FALSE(passes(settings_of("nginx"), "nginx2"));
  CHECK_FALSE(passes(settings_of("nginx"), "ngin"));
  CHECK(passes(settings_of("nginx*"), "nginx: worker"));
  CHECK_FALSE(passes(settings_of("nginx*"), "ngin"));
  CHECK(passes(settings_of("*"), "anything"));
  CHECK(passes(settings_of("w\\*"), "w*"));
  CHECK_FALSE(passes(settings_of("w\\*"), "wx"));
  CHECK(passes(settings_of("a\\,b*"), "a,bc"));
  CHECK(passes(settings_of("w[1]"), "w[1]"));
  CHECK(passes(settings_of("a-name-of-twenty-bytes"), "a-name-of-twent"));
  CHECK_FALSE(passes(settings_of("a-name-of-twenty-bytes"), "a-name-of-twen"));
}

TEST_CASE("a thread is no process to record", "[record]") {
  if (!knows_kernel_pids()) return;
  std::atomic<pid_t> thread{0};
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    thread = gettid();
    thread.notify_one();
    is_over.wait(false);
  });
  thread.wait(0);
  ThreadFilter filter;
  filter.processes = {static_cast<std::uint32_t>(getpid())};
  CHECK(check_filter(filter));
  filter.processes = {static_cast<std::uint32_t>(thread)};
  const Status refused = check_filter(filter);
  is_over = true;
  is_over.notify_one();
  other.join();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kUsage);
  CHECK(refused.error().sentence ==
        std::to_string(thread) + " is a thread of process " + std::to_string(getpid()));
}

TEST_CASE("what a filter is told of is what counts", "[record]") {
  ThreadFilter filter;
  CHECK_FALSE(filter.is_set());
  CHECK(filter.settings().flags == 0);
  CHECK(filter.text().empty());
  filter.follow = true;
  CHECK(filter.text() == "the command and its children");
  filter.processes = {12, 13};
  filter.user = 0;
  filter.names = {"a", "b*"};
  filter.cgroups = {{"/x.slice", 77, 1}};
  CHECK(filter.settings().flags == KUTRACE_FILTER_FLAGS);
  CHECK(filter.settings().cgroup[0].id == 77);
  CHECK(filter.text() == "processes 12,13; user 0; names a,b*; groups /x.slice; their children");
}

TEST_CASE("names with * elsewhere, empty ones and too many are refused", "[record]") {
  ThreadFilter filter;
  for (const char* name : {"", "a*b", "?", "a**"}) {
    filter.names = {name};
    CHECK_FALSE(check_filter(filter));
  }
  filter.names.assign(KUTRACE_FILTER_MOST + 1, "a");
  CHECK_FALSE(check_filter(filter));
  filter.names.pop_back();
  CHECK(check_filter(filter));
}

TEST_CASE("this process passes by its number and not by another's name", "[record]") {
  const auto own = static_cast<std::uint32_t>(getpid());
  const auto has = [&](const ThreadFilter& filter) {
    const std::vector<std::uint32_t> found = passing_processes(filter, {});
    return std::ranges::find(found, own) != found.end();
  };
  ThreadFilter filter;
  filter.processes = {own};
  CHECK(has(filter));
  filter.names = {"no such name"};
  CHECK_FALSE(has(filter));
  filter = {};
  filter.processes = {static_cast<std::uint32_t>(getppid())};
  CHECK_FALSE(has(filter));
  filter.follow = true;
  CHECK(has(filter));
  filter = {};
  filter.user = getuid();
  CHECK(has(filter));
}

TEST_CASE("the mounted hierarchy is found by its kind and its root", "[record]") {
  CHECK(cgroup_mount("24 21 0:22 / /sys rw - sysfs sysfs rw\n"
                     "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n") ==
        "/sys/fs/cgroup");
  CHECK(cgroup_mount("30 24 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup rw\n").empty());
  CHECK(cgroup_mount("30 24 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n").empty());
  CHECK(cgroup_mount("").empty());
  CHECK(cgroup_mount(" - cgroup2 ").empty());
}

TEST_CASE("a process is in a group of version 2 or below it", "[record]") {
  const CgroupFolder group{"/a/b", 5, 2};
  CHECK(is_below("4:memory:/x\n0::/a/b\n", group));
  CHECK(is_below("0::/a/b/c\n", group));
  CHECK_FALSE(is_below("0::/a/bc\n", group));
  CHECK_FALSE(is_below("4:memory:/a/b\n0::/\n", group));
  CHECK(is_below("0::/\n", {"/", 1, 0}));
  CHECK_FALSE(is_below("", {"/", 1, 0}));
}

TEST_CASE("a unit is a service unless its name says another kind", "[record]") {
  CHECK(unit_pattern("nginx") == "*/nginx.service");
  CHECK(unit_pattern("user.slice") == "*/user.slice");
}

TEST_CASE("a filter of packets is a mask of bytes, and what they come to", "[record]") {
  const auto four = PacketFilter::parse("0xF:0xD1C517E5");
  REQUIRE(four);
  CHECK(four->word_masks() == std::array<std::uint32_t, 6>{0xffff'ffff});
  CHECK(four->sum() == 0xd1c5'17e5);
  const auto apart = PacketFilter::parse("0x800001:7");
  REQUIRE(apart);
  CHECK(apart->word_masks() == std::array<std::uint32_t, 6>{0xff, 0, 0, 0, 0, 0xff00'0000});
  CHECK(apart->sum() == 7);

  // Words that are not masked come to 0.
  for (const char* const any : {"-1", "0xffffffff", "4294967295:3"}) {
    REQUIRE(PacketFilter::parse(any));
    CHECK(PacketFilter::parse(any)->word_masks() == std::array<std::uint32_t, 6>{});
    CHECK(PacketFilter::parse(any)->sum() == 0);
  }
  CHECK(PacketFilter::parse("0")->sum() != 0);
  CHECK(PacketFilter::parse("0:0")->sum() != 0);
  for (const char* const wrong :
       {"", ":", "0x", "f", "0x1000000", "1:", "1:x", "1:2:3", "-2", " 1", "0x1ffffffff"})
    CHECK_FALSE(PacketFilter::parse(wrong));
}
