// SPDX-License-Identifier: BSD-3-Clause
// kutrace daemon: records for users who may not record by themselves.
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "base/number_text.h"
#include "base/time_length.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/log.h"
#include "cli/recording.h"
#include "files/local_socket.h"
#include "record/served/served_protocol.h"
#include "serve/confine.h"
#include "serve/peer.h"
#include "serve/policy.h"
#include "serve/server.h"

namespace kutrace::cli {

namespace {

constexpr const char* kDaemonFooter = R"(
Records while somebody reads, for all readers at once, and sends each reader what it asked for. Root
sees everything, members of group kutrace all that /etc/kutrace.conf allows, others what their own
processes do. systemd starts the daemon on demand.

Examples:
  sudo systemctl enable --now kutrace-daemon.socket
  sudo kutrace daemon --buffer-mb 128 --idle 60s
  kutrace record --source daemon -o mine.raw -- make     as any user)";

constexpr int kFirstPassedDescriptor = 3;
constexpr Ns kIdleOfService = 30'000'000'000;

struct DaemonOptions {
  std::string socket = record::kDaemonSocket;
  std::optional<std::string> config;
  std::optional<std::uint32_t> buffer_mb;
  std::string idle;
  std::string source = "auto";
};

// The socket that systemd made, if it started this process.
files::Descriptor passed_socket() {
  const char* const count = std::getenv("LISTEN_FDS");
  const char* const pid = std::getenv("LISTEN_PID");
  if (count == nullptr || pid == nullptr || parse_number<pid_t>(pid) != getpid())
    return files::Descriptor();
  return files::Descriptor(parse_number<int>(count) == 1 ? kFirstPassedDescriptor : -1);
}

Result<int> run_daemon(const DaemonOptions& options) {
  serve::ServerOptions server;
  KUTRACE_ASSIGN(server.policy,
                 options.config ? serve::read_policy(*options.config) : serve::read_policy());
  server.on_trouble = [](const Error& error) { log_error("{}", describe(error)); };
  server.source = [&options] { return choose_source(options.source); };
  server.group = serve::number_of_group(server.policy.group);
  if (!server.group && server.policy.group != serve::Policy().group)
    log_warn("{}: there is no group '{}': nobody is a member",
             options.config.value_or(serve::kPolicyFile), server.policy.group);
  KUTRACE_ASSIGN(const std::uint32_t buffer_mb, check_buffer(options.buffer_mb));
  if (buffer_mb != 0) server.buffer_mb = buffer_mb;
  files::Descriptor listener = passed_socket();
  files::LocalSocket made;
  const bool is_passed = static_cast<bool>(listener);
  if (is_passed) {
    server.idle = kIdleOfService;
  } else {
    KUTRACE_ASSIGN(made, files::LocalSocket::listen_at(
                             options.socket, "kutrace record --source daemon reads from it",
                             files::LocalSocket::Reach::kAllUsers));
    listener = made.take_descriptor();
  }
  if (!options.idle.empty()) {
    KUTRACE_ASSIGN(server.idle, parse_time(options.idle));
  }
  setpriority(PRIO_PROCESS, 0, -20);  // a late reader means loss; refused without the right to
  KUTRACE_TRY(serve::confine_this_process());
  log_info("the daemon listens at {}", is_passed ? "the socket of its service" : options.socket);
  KUTRACE_TRY(serve::serve(server, std::move(listener)));
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_daemon(const Command& program) {
  auto options = std::make_shared<DaemonOptions>();
  const Command command =
      program.add_command("daemon", "Record for unprivileged users: each sees their own processes");
  command.footer(kDaemonFooter);
  command.add_option("--socket", options->socket, "socket to listen on").shows_default();
  command.add_option("--config", options->config,
                     "configuration: what users may record (/etc/kutrace.conf)");
  command.add_option("--source", options->source, "which source records")
      .one_of({"auto", "ebpf", "module"})
      .shows_default();
  command.add_option("--buffer-mb", options->buffer_mb, "memory for blocks of events in MB (64)");
  command.add_option("--idle", options->idle,
                     "exit after this time without a reader (never; 30s under systemd)");
  command.runs(options, run_daemon);
}

}  // namespace kutrace::cli
