// SPDX-License-Identifier: BSD-3-Clause
// One connection is one question: "snapshot", or "groups" and words.
#include "record/flight/snapshot_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace kutrace::record {

namespace {

constexpr std::string_view kSocketFile = "kutrace-flight.sock";
constexpr std::size_t kMostAsking = 64;
// Of the service, whose user is not root (scripts/packaging).
constexpr const char* kSocketOfService = "/run/kutrace/kutrace-flight.sock";
constexpr std::string_view kErrorWord = "error: ";
constexpr std::string_view kUsageWord = "usage: ";
constexpr std::string_view kSnapshotWord = "snapshot";
constexpr std::string_view kGroupsWord = "groups";
constexpr std::size_t kLongestOrder = 4096;
constexpr int kSilence_ms = 3000;  // of a recorder, before it is asked whether it still works
constexpr int kPatience_ms = 20'000;

}  // namespace

Result<SnapshotSocket> SnapshotSocket::listen() {
  KUTRACE_ASSIGN(const std::string path, files::socket_path(kSocketFile));
  SnapshotSocket made;
  KUTRACE_ASSIGN(made.listener_,
                 files::LocalSocket::listen_at(path, "kutrace flight --snapshot asks that one"));
  fcntl(made.listener_.get(), F_SETFL, O_NONBLOCK);
  return made;
}

std::vector<int> SnapshotSocket::descriptors() const {
  if (!listener_) return {};
  return {listener_.get()};
}

// A caller who says nothing for a second or two is let go.
bool SnapshotSocket::has_said_all(Caller& caller) {
  constexpr int kMostRounds = 200;
  std::array<char, 1024> text{};
  const ssize_t got = read(caller.connection.get(), text.data(), text.size());
  if (got > 0) caller.said.append(text.data(), static_cast<std::size_t>(got));
  const bool waits = got < 0 && (errno == EAGAIN || errno == EINTR);
  if (caller.said.size() > kLongestOrder || (!waits && got <= 0) || ++caller.rounds > kMostRounds)
    caller.said = caller.said.substr(0, kLongestOrder) + '\n';
  return caller.said.contains('\n');
}

void SnapshotSocket::listen_to_callers() {
  while (listener_) {
    files::Descriptor one(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!one) break;
    if (callers_.size() < kMostAsking) callers_.push_back({std::move(one), {}, 0});
  }
  for (Caller& asked : callers_) {
    if (!has_said_all(asked)) continue;
    Caller caller{std::exchange(asked.connection, files::Descriptor()),
                  asked.said.substr(0, asked.said.find('\n')), 0};
    if (caller.said == kSnapshotWord) {
      if (waiting_.size() < kMostAsking) waiting_.push_back(std::move(caller.connection));
    } else if (caller.said.starts_with(kGroupsWord)) {
      for_groups_.push_back(std::move(caller));
    }
  }
  std::erase_if(callers_, [](const Caller& caller) { return !caller.connection; });
}

std::vector<files::Descriptor> SnapshotSocket::take_callers() {
  listen_to_callers();
  return std::exchange(waiting_, {});
}

void SnapshotSocket::answer(const std::vector<files::Descriptor>& callers,
                            const std::string& line) {
  for (const files::Descriptor& one : callers) files::send_all(one.get(), line + '\n');
}

std::optional<std::vector<std::string>> SnapshotSocket::groups_asked() {
  if (for_groups_.empty()) return std::nullopt;
  return split_words(for_groups_.front().said.substr(kGroupsWord.size()));
}

void SnapshotSocket::answer_groups(const std::string& line) {
  files::send_all(for_groups_.front().connection.get(), line + '\n');
  for_groups_.erase(for_groups_.begin());
}

namespace {

Result<files::Descriptor> connect_to_flight() {
  KUTRACE_ASSIGN(const std::string path, files::socket_path(kSocketFile));
  KUTRACE_ASSIGN(files::Descriptor fd, files::connect_to_socket(path));
  if (!fd && geteuid() == 0) {
    KUTRACE_ASSIGN(fd, files::connect_to_socket(kSocketOfService));
  }
  return fd;
}

bool has_answer(const files::Descriptor& fd, int wait_ms) {
  pollfd watch{fd.get(), POLLIN, 0};
  return poll(&watch, 1, wait_ms) > 0;
}

// How long a snapshot takes is the recorder's affair; what it records it tells soon.
bool is_alive() {
  const auto fd = connect_to_flight();
  return fd && *fd && files::send_all(fd->get(), std::string(kGroupsWord) + '\n') &&
         has_answer(*fd, kPatience_ms);
}

Error no_answer(const files::Descriptor& fd) {
  ucred listener{};
  socklen_t size = sizeof listener;
  getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &listener, &size);
  return host_error(fmt::format("the flight recorder, process {}, does not answer", listener.pid))
      .with_hint(fmt::format("if it is stopped, it goes on with kill -CONT {}", listener.pid));
}

// Nothing: there is no flight recorder.
Result<std::optional<std::string>> ask_flight(const std::string& order) {
  KUTRACE_ASSIGN(const files::Descriptor fd, connect_to_flight());
  if (!fd) return std::nullopt;
  files::send_all(fd.get(), order + '\n');
  while (!has_answer(fd, kSilence_ms))
    if (!is_alive() && !has_answer(fd, 0)) return fail(no_answer(fd));
  std::string answer = files::read_all(fd.get());
  while (answer.ends_with('\n')) answer.pop_back();
  if (answer.empty())
    return fail(host_error("the flight recorder ended before it answered")
                    .with_hint("its own messages tell why: journalctl -u kutrace-flight-recorder, "
                               "or its terminal"));
  return answer;
}

}  // namespace

std::string refusal(const Error& error) {
  const bool is_usage = error.kind == ErrorKind::kUsage;
  std::string text(is_usage ? kUsageWord : kErrorWord);
  text += error.sentence;
  if (!error.hint.empty()) text += " (" + error.hint + ")";
  return text;
}

Result<std::string> ask_for_snapshot() {
  KUTRACE_ASSIGN(std::optional<std::string> answer, ask_flight(std::string(kSnapshotWord)));
  if (!answer)
    return fail(host_error("no flight recorder of this user runs")
                    .with_hint("start one: kutrace flight -o FOLDER"));
  if (answer->starts_with(kErrorWord)) return fail(output_error(answer->substr(kErrorWord.size())));
  return *std::move(answer);
}

Result<std::optional<std::string>> ask_flight_for_groups(const std::vector<std::string>& words) {
  std::string order(kGroupsWord);
  for (const std::string& word : words) order += ' ' + word;
  KUTRACE_ASSIGN(std::optional<std::string> answer, ask_flight(order));
  if (answer && answer->starts_with(kUsageWord))
    return fail(usage_error(answer->substr(kUsageWord.size())));
  if (answer && answer->starts_with(kErrorWord))
    return fail(host_error(answer->substr(kErrorWord.size())));
  return answer;
}

}  // namespace kutrace::record
