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

TEST_CASE("interrupts of devices tell what they end by their names") {
  NameTable names;
  WaitReasons reasons(names);
  const auto ends = [&](const char* device) { return reasons.by_waker(names.intern(device)); };
  for (const char* device : {"nvme0q1", "megasas0-msix1", "mpt3sas0-msix2", "virtio1-req.0"}) {
    CAPTURE(device);
    CHECK(ends(device) == 'd');
  }
  for (const char* device : {"eth0-rx-0", "eno1-TxRx-0", "ens5-Tx-Rx-0", "mlx5_comp0", "iwlwifi",
                             "virtio1-input.0", "virtio1-output.0", "virtio3-rx"}) {
    CAPTURE(device);
    CHECK(ends(device) == 'n');
  }
  for (const char* device : {"virtio2-control", "virtio4-input", "virtio0-stats", "xhci_hcd"}) {
    CAPTURE(device);
    CHECK(ends(device) == '\0');
  }
}

TEST_CASE("calls of 32-bit programs wait for what those of 64-bit ones wait for") {
  NameTable names;
  WaitReasons reasons(names);
  CHECK(reasons.by_waiter(names.intern("waitpid")) == 'k');
  CHECK(reasons.by_waiter(names.intern("futex_time64")) == 'l');
  CHECK(reasons.by_waiter(names.intern("clock_nanosleep_time64")) == 't');
  CHECK(reasons.by_waker(names.intern("mmap2")) == 'm');
  CHECK(reasons.may_be_pipe(names.intern("write"), names.intern("_newselect")));
  CHECK(reasons.by_waiter(names.intern("time64")) == '\0');
}

TEST_CASE("a queue of messages is a pipe, for whoever waits and whoever wakes") {
  NameTable names;
  WaitReasons reasons(names);
  for (const char* call : {"msgrcv", "msgsnd", "mq_timedreceive", "mq_timedsend"}) {
    CAPTURE(call);
    CHECK(reasons.by_waiter(names.intern(call)) == 'p');
    CHECK(reasons.by_waker(names.intern(call)) == 'p');
    CHECK(reasons.by_any_waker(names.intern(call)) == '\0');
  }
}

TEST_CASE("who closes a file tells of a pipe only where nothing else tells") {
  NameTable names;
  WaitReasons reasons(names);
  CHECK(reasons.by_any_waker(names.intern("close")) == 'p');
  CHECK(reasons.by_any_waker(names.intern("kworker/0:1")) == '\0');
  CHECK(reasons.by_any_waker(names.intern("close_range")) == '\0');
  CHECK(reasons.by_any_waker(names.intern("exit_group")) == '\0');
}

TEST_CASE("who writes ends the wait for a pipe of who takes from it, not of who writes as well") {
  NameTable names;
  WaitReasons reasons(names);
  const auto may_be = [&](const char* waker, const char* waiter) {
    return reasons.may_be_pipe(names.intern(waker), names.intern(waiter));
  };
  for (const char* call : {"read", "epoll_wait", "ppoll", "splice", "open", "openat"}) {
    CAPTURE(call);
    CHECK(may_be("write", call));
  }
  CHECK(may_be("openat", "read"));
  CHECK(may_be("msgsnd", "msgrcv"));
  CHECK_FALSE(may_be("write", "write"));
  CHECK_FALSE(may_be("writev", "write"));
  CHECK_FALSE(may_be("openat", "open"));
  for (const char* call : {"clock_nanosleep", "wait4", "mkdir", "fsync"}) {
    CAPTURE(call);
    CHECK_FALSE(may_be("write", call));
  }
}

TEST_CASE("of the threads of the kernel, those of RCU tell what they end") {
  NameTable names;
  WaitReasons reasons(names);
  for (const char* thread : {"rcu_preempt", "rcu_exp_gp_kthread_worker", "rcuop/1", "rcuog/0"}) {
    CAPTURE(thread);
    CHECK(reasons.by_kernel_thread(names.intern(thread)) == 'r');
  }
  CHECK(reasons.by_kernel_thread(names.intern("kworker/0:1")) == '\0');
  CHECK(reasons.by_kernel_thread(names.intern("jbd2/vda-8")) == '\0');
}

}  // namespace kutrace::spans
