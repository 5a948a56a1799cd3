// SPDX-License-Identifier: BSD-3-Clause
// Records of /dev/kmsg: whose they are, and their numbers; and levels that rise.
#include <catch2/catch.hpp>

#include "record/flight/machine_watch.h"

namespace kutrace::record {
namespace {

TEST_CASE("a line of the kernel's log is told from one of a user's") {
  CHECK(kernel_log_text("6,348,1785656590,-;nginx[13]: segfault at 0\n SUBSYSTEM=x\n") ==
        "nginx[13]: segfault at 0");
  CHECK(kernel_log_text("12,349,1785656591,-;nginx[13]: segfault at 0\n").empty());
  CHECK(kernel_log_text("6,350,1785656592,-;a;b\n") == "a;b");
  CHECK(kernel_log_text("no record").empty());
}

TEST_CASE("records of the kernel's log have numbers") {
  CHECK(kernel_log_number("6,348,1785656590,-;text\n") == 348u);
  CHECK(kernel_log_number("12,0,1,c;text\n") == 0u);
  CHECK_FALSE(kernel_log_number("6;text"));
  CHECK_FALSE(kernel_log_number("6,x,1,-;text"));
}

TEST_CASE("what is high at the start has not risen") {
  auto watch = MachineWatch::open(false);
  REQUIRE(watch);
  CHECK_FALSE(watch->has_risen("high", true));
  CHECK_FALSE(watch->has_risen("high", true));
  CHECK_FALSE(watch->has_risen("high", false));
  CHECK(watch->has_risen("high", true));
  CHECK_FALSE(watch->has_risen("low", false));
  CHECK(watch->has_risen("low", true));
  CHECK_FALSE(watch->has_risen("low", true));
}

}  // namespace
}  // namespace kutrace::record
