// SPDX-License-Identifier: BSD-3-Clause
// Three states: ready, recording, ended. Everything waits in one poll: orders, finished blocks.
#include "record/daemon/background_recorder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "files/files.h"
#include "files/invoking_user.h"
#include "files/local_socket.h"
#include "files/output_place.h"
#include "format/facts.h"
#include "record/run/stop_signal.h"
#include "record/run/summary_text.h"

namespace kutrace::record {

namespace {

constexpr std::string_view kSocketName = "kutrace-control.sock";
constexpr const char* kSavedName = "kutrace-control.raw";
constexpr double kBytesPerMb = 1 << 20;
constexpr int kIdleRound_ms = 1000;
// With who gives an order, while blocks wait to be taken.
constexpr std::size_t kMostOrder = std::size_t{64} << 10;
constexpr auto kPatience = std::chrono::seconds(1);

class Server {
 public:
  Server(Recording recording, files::LocalSocket listener)
      : recording_(std::move(recording)), listener_(std::move(listener)) {}
  void run();

 private:
  enum class State { kReady, kRecording, kEnded, kGone };

  Status work();
  void take_order();
  Reply obey(const std::string& order);
  Result<Reply> carry_out(const std::string& verb, const std::string& rest);
  Status on();
  Status off();
  Result<Reply> dump(const std::string& order);
  Result<Reply> dump_for(const std::string& order);
  Result<Reply> dump_for(const files::InvokingUser& user, const std::string& path);
  Result<Reply> groups(const std::string& words);
  Status check_recording() const;
  Result<Reply> arguments(const std::string& words);
  Result<Reply> processes(const std::string& words);
  Result<Reply> pause();
  Result<Reply> resume();
  Result<Reply> change(const std::vector<std::string>& words);
  Result<Reply> write(const std::string& path);
  Result<std::string> write_somewhere();
  void save();
  std::string stat() const;

  std::optional<Recording> recording_;  // none: gone
  std::optional<Error> failure_;        // that ended it
  bool is_stopped_ = false;             // and all that was recorded is there
  files::LocalSocket listener_;
  State state_ = State::kReady;
  std::optional<EventGroups> paused_;  // what is on again when it is resumed
  double paused_at_ = 0;               // seconds of the recording
};

Status Server::on() {
  if (state_ == State::kRecording) return fail(usage_error("it is recording already"));
  if (state_ == State::kEnded)
    return fail(usage_error("a recording that was switched off does not go on")
                    .with_hint("dump it, or reset, and begin another"));
  KUTRACE_TRY(recording_->start());
  state_ = State::kRecording;
  return {};
}

Status Server::off() {
  if (state_ == State::kReady)
    return fail(usage_error("nothing has been recorded yet").with_hint("kutrace control on"));
  if (state_ != State::kRecording) return {};
  state_ = State::kEnded;
  KUTRACE_TRY(recording_->stop());
  is_stopped_ = true;
  return {};
}

// A program that has include/kutrace/recorder.h built in says "dump", whose user's name is a word.
Result<Reply> Server::dump(const std::string& order) {
  std::istringstream words(order);
  files::InvokingUser user;
  std::string path;
  words >> user.uid >> user.gid >> user.name;
  words.get();
  if (!std::getline(words, path)) return fail(usage_error("dump needs a user and a path"));
  return dump_for(user, path);
}

Result<Reply> Server::dump_for(const std::string& order) {
  std::istringstream words(order);
  files::InvokingUser user;
  std::size_t length = 0;
  words >> user.uid >> user.gid >> length;
  const auto at = static_cast<std::size_t>(std::max<std::streamoff>(words.tellg(), 0)) + 1;
  if (!words || length > order.size() || at + length + 1 >= order.size())
    return fail(usage_error("dump_for needs a user and a path"));
  user.name = order.substr(at, length);
  return dump_for(user, order.substr(at + length + 1));
}

// Who stops it may be somebody else than who began: the file is his, where he may write.
Result<Reply> Server::dump_for(const files::InvokingUser& user, const std::string& path) {
  files::set_invoking_user(user.uid == 0 ? std::nullopt : std::optional(user));
  KUTRACE_TRY(off());
  return write(path);
}

Result<Reply> Server::groups(const std::string& words) {
  if (paused_)
    return fail(usage_error("the recording is paused").with_hint("kutrace control resume"));
  return change(split_words(words));
}

Status Server::check_recording() const {
  if (state_ == State::kRecording) return {};
  return fail(usage_error("nothing is being recorded").with_hint("kutrace control on"));
}

Result<Reply> Server::arguments(const std::string& words) {
  KUTRACE_TRY(check_recording());
  KUTRACE_TRY(recording_->change_arguments(split_words(words)));
  return Reply{.error = {}, .notes = {}, .answer = "recorded: " + recording_->recorded_arguments()};
}

Result<Reply> Server::processes(const std::string& words) {
  KUTRACE_TRY(check_recording());
  KUTRACE_TRY(recording_->change_processes(split_words(words)));
  return Reply{.error = {}, .notes = {}, .answer = "recorded: " + recording_->recorded_threads()};
}

std::vector<std::string> with_sign(const EventGroups& groups, char sign) {
  std::vector<std::string> words;
  for (const std::string& name : groups.names()) words.push_back(sign + name);
  return words;
}

// Context switches go on, so that all time keeps its thread.
Result<Reply> Server::pause() {
  if (paused_) return fail(usage_error("it is paused already").with_hint("kutrace control resume"));
  const EventGroups off = recording_->groups().switchable();
  KUTRACE_ASSIGN(Reply reply, change(with_sign(off, '-')));
  paused_ = off;
  paused_at_ = recording_->seconds();
  return reply;
}

Result<Reply> Server::resume() {
  if (!paused_) return fail(usage_error("it is not paused").with_hint("kutrace control stat"));
  KUTRACE_ASSIGN(Reply reply, change(with_sign(*paused_, '+')));
  const double seconds = recording_->seconds() - paused_at_;
  reply.notes.push_back({true, fmt::format("paused for {:.1f} s: the trace says so, and has only "
                                           "what was recorded meanwhile",
                                           seconds)});
  paused_.reset();
  return reply;
}

Result<Reply> Server::change(const std::vector<std::string>& words) {
  KUTRACE_TRY(check_recording());
  KUTRACE_ASSIGN(const auto lacking, recording_->change_groups(words));
  Reply reply;
  for (const std::string& what : lacking)
    reply.notes.push_back({true, "this kernel does not show " + what});
  reply.answer = "recorded: " + fact::to_text(recording_->groups().names());
  return reply;
}

Result<Reply> Server::write(const std::string& path) {
  if (failure_ && !is_stopped_) return fail(*failure_);
  KUTRACE_ASSIGN(const Summary summary, recording_->write(path));
  state_ = State::kGone;
  Reply reply{.error = {}, .notes = summary_text(summary, path), .answer = {}};
  if (failure_) reply.notes.push_back({true, "the recording ended early: " + failure_->sentence});
  return reply;
}

// As KUtrace says it, and then more.
std::string Server::stat() const {
  const std::uint64_t blocks = recording_->blocks_used();
  const double mb = static_cast<double>(blocks * KUTRACE_BLOCK_BYTES) / kBytesPerMb;
  const RecordOptions& options = recording_->options();
  std::string state = "ready";
  if (state_ != State::kReady)
    state = fmt::format("{} {:.1f} s", state_ == State::kRecording ? "recording for" : "recorded",
                        recording_->seconds());
  if (paused_) state += ", paused";
  if (!recording_->ended_by().empty()) state += ", ended: " + recording_->ended_by();
  return fmt::format("{} trace blocks used ({:.1f} MB); {}, source {}, mode {}", blocks, mb, state,
                     name_of(options.source), name_of(options.mode));
}

Result<Reply> Server::carry_out(const std::string& verb, const std::string& rest) {
  if (verb == "dump" && !rest.empty()) return dump(rest);
  if (verb == "dump_for") return dump_for(rest);
  if (verb == "groups") return groups(rest);
  if (verb == "pids") return processes(rest);
  if (verb == "args") return arguments(rest);
  if (verb == "pause") return pause();
  if (verb == "resume") return resume();
  if (verb == "stat") return Reply{.error = {}, .notes = {}, .answer = stat()};
  if (verb == "on") {
    KUTRACE_TRY(on());
  } else if (verb == "off") {
    KUTRACE_TRY(off());
  } else if (verb == "reset") {
    state_ = State::kGone;
  } else {
    return fail(usage_error("the background recorder has no command '" + printable(verb) + "'"));
  }
  return Reply{};
}

Reply Server::obey(const std::string& order) {
  const std::string verb = order.substr(0, order.find(' '));
  Result<Reply> reply = carry_out(verb, order.substr(std::min(order.size(), verb.size() + 1)));
  if (reply) return *std::move(reply);
  return Reply{.error = std::move(reply).error(), .notes = {}, .answer = {}};
}

void Server::take_order() {
  const files::Descriptor caller(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (caller.get() < 0) return;
  std::string order = files::read_soon(caller.get(), kMostOrder, kPatience);
  while (order.ends_with('\n')) order.pop_back();
  const Reply reply = obey(order);
  // Who is told that it is gone finds source and place free.
  if (state_ == State::kGone) {
    recording_.reset();
    listener_.remove_name();
  }
  files::send_all(caller.get(), encode(reply));
}

Status Server::work() {
  const Result<bool> goes_on = recording_->work();
  if (!goes_on) failure_ = goes_on.error();
  return goes_on.value_or(false) ? Status() : off();
}

// What fails while recording ends it, and is told to who asks for the file. A signal that comes
// just before the wait is seen soon.
void Server::run() {
  while (state_ != State::kGone) {
    if (state_ == State::kRecording) {
      if (const Status worked = work(); !worked) {
        failure_ = worked.error();
        state_ = State::kEnded;
      }
    }
    pollfd watch{listener_.get(), POLLIN, 0};
    if (state_ == State::kRecording) recording_->pause(listener_.get());
    if (poll(&watch, 1, state_ == State::kRecording ? 0 : kIdleRound_ms) > 0) take_order();
    if (StopSignal::received() != 0) save();
  }
}

// Nobody waits for the answer of one that a signal ends.
void tell_log(const std::string& text) {
  if (access("/dev/log", W_OK) == 0) {
    openlog("kutrace", LOG_PID, LOG_DAEMON);
    syslog(LOG_WARNING, "%s", text.c_str());
  } else if (const files::Descriptor kernel(open("/dev/kmsg", O_WRONLY | O_CLOEXEC)); kernel) {
    files::write_all(kernel.get(), fmt::format("<{}>kutrace: {}\n", LOG_USER | LOG_WARNING, text));
  }
}

Result<std::string> Server::write_somewhere() {
  KUTRACE_TRY(off());
  return files::save_somewhere(kSavedName, [this](const std::string& path) -> Status {
    KUTRACE_TRY(write(path));
    return {};
  });
}

// A signal ends it before anybody asked for the file.
void Server::save() {
  if (state_ != State::kReady) {
    const Result<std::string> path = write_somewhere();
    tell_log(path ? "a signal ended the recording of kutrace control; it is in " + *path
                  : "a signal ended the recording of kutrace control, and it is lost: " +
                        printable(describe(path.error())));
  }
  state_ = State::kGone;
  recording_.reset();
  listener_.remove_name();
}

// Who waits for the answer gets one.
Result<Recording> open_recording(const RecordOptions& options) {
  try {
    return Recording::open(options);
  } catch (const std::bad_alloc&) {
    return fail(host_error("there is too little memory").with_hint("a smaller --buffer-mb"));
  }
}

Result<Server> make_server(const RecordOptions& options, const std::string& path) {
  KUTRACE_ASSIGN(files::LocalSocket listener,
                 files::LocalSocket::listen_at(path, "kutrace control stat"));
  KUTRACE_ASSIGN(Recording recording, open_recording(options));
  return Server(std::move(recording), std::move(listener));
}

// What the caller's shell left open, such as a lock, is not held until the recording ends.
void close_inherited(int except) {
  const auto kept = static_cast<unsigned>(except);
  if (kept > STDERR_FILENO + 1) close_range(STDERR_FILENO + 1, kept - 1, 0);
  close_range(kept + 1, ~0U, 0);
}

void leave_terminal() {
  setsid();
  signal(SIGHUP, SIG_IGN);
  const files::Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing.get(), fd);
  if (chdir("/") != 0) _exit(1);
}

// In the new process; `report` is closed once it is known whether it can record.
[[noreturn]] void serve(RecordOptions options, const std::string& path, files::Descriptor report) {
  leave_terminal();
  close_inherited(report.get());
  Reply reply;
  options.on_start = [&reply](const StartNotes& notes) {
    std::ranges::move(start_text(notes), std::back_inserter(reply.notes));
  };
  Result<Server> server = make_server(options, path);
  if (!server) reply.error = server.error();
  files::send_all(report.get(), encode(reply));
  report = files::Descriptor();
  const StopSignal signals;
  if (server) server->run();
  _exit(0);
}

}  // namespace

// The process between is gone at once, so that nobody has to wait for the recorder.
Result<Reply> start_background_recorder(const RecordOptions& options) {
  KUTRACE_ASSIGN(const std::string path, files::socket_path(kSocketName));
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(host_error("cannot make a socket: " + errno_text(errno)));
  files::Descriptor mine(ends[0]);
  files::Descriptor theirs(ends[1]);
  const pid_t between = fork();
  if (between < 0) return fail(host_error("cannot start the recorder: " + errno_text(errno)));
  if (between == 0) {
    if (fork() != 0) _exit(0);
    mine = files::Descriptor();
    serve(options, path, std::move(theirs));
  }
  theirs = files::Descriptor();
  waitpid(between, nullptr, 0);
  std::optional<Reply> reply = decode_reply(files::read_all(mine.get()));
  if (!reply)
    return fail(host_error("the background recorder ended before it was ready")
                    .with_hint("kutrace doctor"));
  if (reply->error) return fail(*std::move(reply->error));
  return *std::move(reply);
}

std::string order_to_dump(const std::string& path) {
  const files::InvokingUser user =
      files::invoking_user().value_or(files::InvokingUser{0, 0, "root"});
  return fmt::format("dump_for {} {} {} {} {}", user.uid, user.gid, user.name.size(), user.name,
                     path);
}

Result<std::optional<Reply>> order(const std::string& text) {
  KUTRACE_ASSIGN(const std::string path, files::socket_path(kSocketName));
  KUTRACE_ASSIGN(const files::Descriptor recorder, files::connect_to_socket(path));
  if (recorder.get() < 0) return std::nullopt;
  if (!files::send_all(recorder.get(), text + '\n') || shutdown(recorder.get(), SHUT_WR) != 0)
    return fail(host_error("cannot connect to the background recorder: " + errno_text(errno)));
  std::optional<Reply> reply = decode_reply(files::read_all(recorder.get()));
  if (reply && reply->error) return fail(*std::move(reply->error));
  return reply;
}

}  // namespace kutrace::record
