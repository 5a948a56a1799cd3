// SPDX-License-Identifier: BSD-3-Clause
// One connection is one question.
#include "record/flight/snapshot_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string_view>

#include "record/run/local_socket.h"

namespace kutrace::record {

namespace {

constexpr std::string_view kSocketFile = "kutrace-flight.sock";
constexpr std::size_t kMostAsking = 64;
// Of the service, whose user is not root (scripts/packaging).
constexpr const char* kSocketOfService = "/run/kutrace/kutrace-flight.sock";
constexpr std::string_view kErrorWord = "error: ";

}  // namespace

Result<SnapshotSocket> SnapshotSocket::listen() {
  KUTRACE_ASSIGN(const std::string path, socket_path(kSocketFile));
  SnapshotSocket made;
  KUTRACE_ASSIGN(made.listener_,
                 listen_for_orders(path, "kutrace flight --snapshot asks that one"));
  made.path_ = path;
  fcntl(made.listener_.get(), F_SETFL, O_NONBLOCK);
  return made;
}

SnapshotSocket::~SnapshotSocket() {
  if (listener_) unlink(path_.c_str());
}

std::vector<int> SnapshotSocket::descriptors() const {
  if (!listener_) return {};
  return {listener_.get()};
}

bool SnapshotSocket::was_asked() {
  bool any = false;
  while (listener_) {
    files::Descriptor one(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!one) break;
    any = true;
    if (waiting_.size() < kMostAsking) waiting_.push_back(std::move(one));
  }
  return any;
}

void SnapshotSocket::answer(const std::string& line) {
  for (const files::Descriptor& one : waiting_) send_all(one.get(), line + '\n');
  waiting_.clear();
}

Result<std::string> ask_for_snapshot() {
  KUTRACE_ASSIGN(const std::string path, socket_path(kSocketFile));
  KUTRACE_ASSIGN(files::Descriptor fd, connect_to_recorder(path));
  if (!fd && geteuid() == 0) {
    KUTRACE_ASSIGN(fd, connect_to_recorder(kSocketOfService));
  }
  if (!fd)
    return fail(host_error("no flight recorder of this user runs")
                    .with_hint("start one: kutrace flight -o FOLDER"));
  std::string answer = read_all(fd.get());
  while (answer.ends_with('\n')) answer.pop_back();
  if (answer.empty())
    return fail(host_error("the flight recorder ended before it wrote a snapshot"));
  if (answer.starts_with(kErrorWord)) return fail(output_error(answer.substr(kErrorWord.size())));
  return answer;
}

}  // namespace kutrace::record
