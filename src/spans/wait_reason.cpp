// SPDX-License-Identifier: BSD-3-Clause
// The two tables behind wait reasons. The waker's is KUtrace's, with the timer names of all
// kernels.
#include "spans/wait_reason.h"

#include <algorithm>
#include <array>

#include "model/native_call.h"

namespace kutrace::spans {

namespace {

struct Reason {
  std::string_view routine;
  char letter;
};

constexpr char kNone = 1;  // cached answer "no reason"

constexpr Reason kWaker[] = {
    {"local_timer", 't'},  {"local_timer_vector", 't'},
    {"arch_timer", 't'},   {"riscv-timer", 't'},
    {"timer", 't'},        {"hyperv_stimer0", 't'},
    {"BH:timer", 't'},     {"BH:hrtim", 't'},
    {"BH:rcu", 'r'},       {"page_fault", 'm'},
    {"mmap", 'm'},         {"munmap", 'm'},
    {"mprotect", 'm'},     {"madvise", 'm'},
    {"futex", 'l'},        {"futex_wake", 'l'},
    {"writev", 'p'},       {"write", 'p'},
    {"open", 'p'},         {"openat", 'p'},
    {"msgsnd", 'p'},       {"msgrcv", 'p'},
    {"mq_timedsend", 'p'}, {"mq_timedreceive", 'p'},
    {"sendto", 'n'},       {"sendmsg", 'n'},
    {"sendmmsg", 'n'},     {"shutdown", 'n'},
    {"connect", 'n'},      {"accept", 'n'},
    {"kill", 'k'},         {"tkill", 'k'},
    {"tgkill", 'k'},       {"rt_sigqueueinfo", 'k'},
    {"BH:hi", 'k'},        {"rt_tgsigqueueinfo", 'k'},
    {"BH:taskl", 'k'},     {"pidfd_send_signal", 'k'},
    {"BH:tx", 'n'},        {"BH:rx", 'n'},
    {"BH:block", 'd'},     {"BH:irq_p", 'd'},
    {"syncfs", 'd'},       {"fdatasync", 'd'},
    {"BH:sched", 's'},
};

constexpr Reason kWaiter[] = {
    {"nanosleep", 't'},    {"clock_nanosleep", 't'},
    {"futex", 'l'},        {"futex_wait", 'l'},
    {"futex_waitv", 'l'},  {"fsync", 'd'},
    {"fdatasync", 'd'},    {"syncfs", 'd'},
    {"sync", 'd'},         {"sync_file_range", 'd'},
    {"io_getevents", 'd'}, {"page_fault", 'd'},
    {"wait4", 'k'},        {"waitid", 'k'},
    {"vfork", 'k'},        {"clone", 'k'},
    {"clone3", 'k'},       {"recvfrom", 'n'},
    {"recvmsg", 'n'},      {"recvmmsg", 'n'},
    {"accept", 'n'},       {"accept4", 'n'},
    {"connect", 'n'},      {"sendto", 'n'},
    {"sendmsg", 'n'},      {"read", 'p'},
    {"readv", 'p'},        {"write", 'p'},
    {"writev", 'p'},       {"mmap", 'm'},
    {"munmap", 'm'},       {"mprotect", 'm'},
    {"madvise", 'm'},      {"membarrier", 'r'},
    {"flock", 'l'},        {"fcntl", 'l'},
    {"semop", 'l'},        {"semtimedop", 'l'},
    {"msgrcv", 'p'},       {"msgsnd", 'p'},
    {"mq_timedsend", 'p'}, {"mq_timedreceive", 'p'},
};

// Calls that may wait for a pipe, by what they do with it.
constexpr char kWrites = 'w';
constexpr char kOpens = 'o';
constexpr char kTakes = 't';
constexpr Reason kPiping[] = {
    {"write", kWrites},
    {"writev", kWrites},
    {"pwritev2", kWrites},
    {"open", kOpens},
    {"openat", kOpens},
    {"openat2", kOpens},
    {"creat", kOpens},
    {"read", kTakes},
    {"readv", kTakes},
    {"preadv2", kTakes},
    {"poll", kTakes},
    {"ppoll", kTakes},
    {"select", kTakes},
    {"pselect6", kTakes},
    {"epoll_wait", kTakes},
    {"epoll_pwait", kTakes},
    {"epoll_pwait2", kTakes},
    {"splice", kTakes},
    {"tee", kTakes},
    {"vmsplice", kTakes},
    {"sendfile", kTakes},
    {"copy_file_range", kTakes},
    {"io_uring_enter", kTakes},
    {"restart_syscall", kTakes},
    {"msgrcv", kTakes},
    {"msgsnd", kTakes},
    {"mq_timedreceive", kTakes},
    {"mq_timedsend", kTakes},
};

// The names are those of 64-bit calls.
template <std::size_t N>
char look_up(const Reason (&table)[N], std::string_view routine) {
  routine = native_call(routine);
  const auto* found = std::find_if(std::begin(table), std::end(table),
                                   [&](const Reason& r) { return r.routine == routine; });
  return found == std::end(table) ? kNone : found->letter;
}

// Interrupts are named after their device: virtio1-req.0, nvme0q1, eth0-rx-0, ...
constexpr Reason kDevicePrefix[] = {
    {"nvme", 'd'},    {"ahci", 'd'},    {"ata_", 'd'}, {"mmc", 'd'},     {"megasas", 'd'},
    {"mpt2sas", 'd'}, {"mpt3sas", 'd'}, {"hpsa", 'd'}, {"aacraid", 'd'}, {"ufshcd", 'd'},
    {"eth", 'n'},     {"en", 'n'},      {"wl", 'n'},   {"iwlwifi", 'n'}, {"mlx", 'n'},
    {"i40e", 'n'},    {"iavf", 'n'},    {"ice-", 'n'}, {"ixgbe", 'n'},   {"igb", 'n'},
    {"bnxt", 'n'},
};

// virtio0-req.0 of a disk, virtio1-input.0 and virtio1-output.0 of a network card, virtio2-rx and
// virtio2-tx of a vsock. Others, such as virtio3-control, are neither.
char of_virtio(std::string_view routine) {
  const auto is = [routine](std::string_view queue) { return routine.find(queue) != routine.npos; };
  if (is("-req")) return 'd';
  const bool is_net = is("-input.") || is("-output.") || is("-rx") || is("-tx");
  return is_net ? 'n' : kNone;
}

char classify_waker(std::string_view routine) {
  for (const Reason& device : kDevicePrefix) {
    if (routine.starts_with(device.routine)) return device.letter;
  }
  if (routine.starts_with("virtio")) return of_virtio(routine);
  return look_up(kWaker, routine);
}

char classify_waiter(std::string_view routine) { return look_up(kWaiter, routine); }
char classify_piping(std::string_view routine) { return look_up(kPiping, routine); }

}  // namespace

char WaitReasons::cached(std::vector<char>& cache, NameId routine, Classify classify) {
  if (routine >= cache.size()) cache.resize(routine + 1, 0);
  char& letter = cache[routine];
  if (letter == 0) letter = classify(names_.text(routine));
  return letter == kNone ? '\0' : letter;
}

char WaitReasons::by_waker(NameId routine) { return cached(by_waker_, routine, classify_waker); }

bool WaitReasons::may_be_pipe(NameId waker, NameId waiter) {
  const char waits = cached(piping_, waiter, classify_piping);
  if (waits == kWrites || waits == kOpens) return cached(piping_, waker, classify_piping) != waits;
  return waits != 0;
}

char WaitReasons::by_any_waker(NameId routine) {
  return names_.text(routine) == "close" ? 'p' : '\0';
}

// rcu_preempt, rcu_exp_gp_kthread_worker, rcuop/1, rcuog/0, ...
char WaitReasons::by_kernel_thread(NameId thread) {
  return names_.text(thread).starts_with("rcu") ? 'r' : '\0';
}

bool WaitReasons::is_worker(NameId thread) { return names_.text(thread).starts_with("kworker"); }

char WaitReasons::by_waiter(NameId routine) { return cached(by_waiter_, routine, classify_waiter); }

}  // namespace kutrace::spans
