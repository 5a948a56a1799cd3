// SPDX-License-Identifier: BSD-3-Clause
// A name is removed only as long as it is the file that was made.
#include "files/local_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>

namespace kutrace::files {

namespace {

constexpr int kWaiting = 8;
constexpr const char* kFolderOfRoot = "/run";

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return fail(
        usage_error("the path of the socket is too long: " + path)
            .with_hint(fmt::format("use a path of at most {} bytes", sizeof address.sun_path - 1)));
  if (path.empty()) return fail(usage_error("the path of the socket is empty"));
  std::ranges::copy(path, address.sun_path);
  return address;
}

Descriptor make_socket() { return Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

// The name has its mode from the begin: whoever may write to the folder could put another one
// there.
bool bind_to(const Descriptor& fd, const sockaddr_un& address, mode_t mode) {
  constexpr mode_t kAll = 0777;
  const mode_t before = umask(kAll & ~mode);
  const bool bound = bind(fd.get(), generic(address), sizeof address) == 0;
  umask(before);
  return bound;
}

std::optional<struct stat> named(const std::string& path) {
  struct stat found{};
  return lstat(path.c_str(), &found) == 0 ? std::optional(found) : std::nullopt;
}

// Whoever left it there does not live any more.
Status remove_left(const std::string& path, std::string_view hint) {
  const auto found = named(path);
  if (found && !S_ISSOCK(found->st_mode))
    return fail(output_error("a file that is no socket is there already").with_file(path));
  KUTRACE_ASSIGN(const Descriptor other, connect_to_socket(path));
  if (other)
    return fail(host_error("another recorder listens at " + path).with_hint(std::string(hint)));
  unlink(path.c_str());
  return {};
}

}  // namespace

Result<std::string> socket_path(std::string_view name) {
  // A service has a folder of its own, a user that of his session.
  for (const char* const variable : {"RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"}) {
    const char* const folder = geteuid() == 0 ? kFolderOfRoot : std::getenv(variable);
    if (folder != nullptr && *folder != '\0') return std::string(folder) + '/' + std::string(name);
  }
  return fail(host_error("there is no place for the recorder's socket: XDG_RUNTIME_DIR is not set")
                  .with_hint("run it with sudo"));
}

LocalSocket::LocalSocket(Descriptor socket, std::string path)
    : socket_(std::move(socket)), path_(std::move(path)) {
  if (const auto made = named(path_)) {
    device_ = made->st_dev;
    file_ = made->st_ino;
  }
}

LocalSocket::LocalSocket(LocalSocket&& other) noexcept
    : socket_(std::move(other.socket_)),
      path_(std::exchange(other.path_, {})),
      device_(other.device_),
      file_(other.file_) {}

LocalSocket& LocalSocket::operator=(LocalSocket&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(path_, other.path_);
  std::swap(device_, other.device_);
  std::swap(file_, other.file_);
  return *this;
}

void LocalSocket::remove_name() {
  const std::string path = std::exchange(path_, {});
  const auto found = path.empty() ? std::nullopt : named(path);
  if (found && found->st_dev == device_ && found->st_ino == file_) unlink(path.c_str());
}

Result<LocalSocket> LocalSocket::listen_at(const std::string& path, std::string_view hint,
                                           Reach reach) {
  const mode_t mode = reach == Reach::kOwner ? 0600 : 0666;
  KUTRACE_ASSIGN(const sockaddr_un address, address_of(path));
  Descriptor fd = make_socket();
  bool bound = bind_to(fd, address, mode);
  if (!bound && errno == EADDRINUSE) {
    KUTRACE_TRY(remove_left(path, hint));
    bound = bind_to(fd, address, mode);
  }
  if (bound && listen(fd.get(), kWaiting) == 0) return LocalSocket(std::move(fd), path);
  return fail(output_error("cannot listen here: " + errno_text(errno)).with_file(path));
}

Result<Descriptor> connect_to_socket(const std::string& path) {
  KUTRACE_ASSIGN(const sockaddr_un address, address_of(path));
  Descriptor fd = make_socket();
  if (connect(fd.get(), generic(address), sizeof address) == 0) return fd;
  if (errno == ENOENT || errno == ECONNREFUSED) return Descriptor();
  return fail(host_error("cannot reach " + path + ": " + errno_text(errno)));
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t got = read(fd, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

std::string read_soon(int fd, std::size_t most, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::string text(most, '\0');
  std::size_t size = 0;
  while (size < most) {
    const auto left = end - std::chrono::steady_clock::now();
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    pollfd watch{fd, POLLIN, 0};
    if (ms <= 0 || poll(&watch, 1, static_cast<int>(ms)) <= 0) break;
    const ssize_t got = recv(fd, text.data() + size, most - size, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

bool send_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace kutrace::files
