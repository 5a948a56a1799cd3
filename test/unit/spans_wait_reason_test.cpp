// SPDX-License-Identifier: BSD-3-Clause
// What a thread waits for, by the call that it is blocked in.
#include <catch2/catch.hpp>

#include "spans/wait_reason.h"

namespace kutrace::spans {

TEST_CASE("a call that waits for a lock says so, whoever wakes its thread") {
  NameTable names;
  WaitReasons reasons(names);
  for (const char* call : {"futex", "flock", "fcntl", "semop", "semtimedop"}) {
    CAPTURE(call);
    CHECK(reasons.by_waiter(names.intern(call)) == 'l');
  }
  for (const char* waker : {"flock", "fcntl", "close", "exit_group"}) {
    CAPTURE(waker);
    CHECK(reasons.by_waker(names.intern(waker)) == '\0');
  }
}

}  // namespace kutrace::spans
