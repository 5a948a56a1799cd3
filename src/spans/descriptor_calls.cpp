// SPDX-License-Identifier: BSD-3-Clause
// The table. What anonymous files are called is what /proc/PID/fd shows.
#include "spans/descriptor_calls.h"

#include <array>

namespace kutrace::spans {

namespace {

using enum DescriptorWork;

struct Row {
  std::string_view name;
  DescriptorCall call;
};

constexpr auto kRows = std::to_array<Row>({
    {"open", {kOpen, {}}},
    {"openat", {kOpen, {}}},
    {"openat2", {kOpen, {}}},
    {"creat", {kOpen, {}}},
    {"memfd_create", {kMemory, {}}},
    {"eventfd", {kMake, "anon_inode:[eventfd]"}},
    {"eventfd2", {kMake, "anon_inode:[eventfd]"}},
    {"epoll_create", {kMake, "anon_inode:[eventpoll]"}},
    {"epoll_create1", {kMake, "anon_inode:[eventpoll]"}},
    {"timerfd_create", {kMake, "anon_inode:[timerfd]"}},
    {"signalfd", {kMake, "anon_inode:[signalfd]"}},
    {"signalfd4", {kMake, "anon_inode:[signalfd]"}},
    {"inotify_init", {kMake, "anon_inode:inotify"}},
    {"inotify_init1", {kMake, "anon_inode:inotify"}},
    {"io_uring_setup", {kMake, "anon_inode:[io_uring]"}},
    {"perf_event_open", {kMake, "anon_inode:[perf_event]"}},
    {"bpf", {kMake, "anon_inode:bpf"}},
    {"pidfd_open", {kMake, "pidfd"}},
    {"socket", {kSocket, {}}},
    {"accept", {kAccept, {}}},
    {"accept4", {kAccept, {}}},
    {"connect", {kConnect, {}}},
    {"bind", {kBind, {}}},
    {"getsockname", {kLocalName, {}}},
    {"getpeername", {kRemoteName, {}}},
    {"pipe", {kPipe, {}}},
    {"pipe2", {kPipe, {}}},
    {"socketpair", {kSocketPair, {}}},
    {"dup", {kDuplicate, {}}},
    {"dup2", {kDuplicateTo, {}}},
    {"dup3", {kDuplicateTo, {}}},
    {"fcntl", {kControl, {}}},
    {"close", {kClose, {}}},
    {"close_range", {kCloseRange, {}}},
    {"io_uring_enter", {kRing, {}}},
    {"socketcall", {kUnknown, {}}},
    {"chdir", {kEnterPath, {}}},
    {"fchdir", {kEnterDescriptor, {}}},
    {"execve", {kExec, {}}},
    {"execveat", {kExec, {}}},
    {"exit_group", {kExit, {}}},
});

}  // namespace

DescriptorCall descriptor_call(std::string_view call) {
  for (const Row& row : kRows) {
    if (row.name == call) return row.call;
  }
  return {};
}

}  // namespace kutrace::spans
