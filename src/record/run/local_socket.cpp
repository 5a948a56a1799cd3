// SPDX-License-Identifier: BSD-3-Clause
// A stream socket with a name.
#include "record/run/local_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

namespace kutrace::record {

namespace {

constexpr int kWaiting = 8;
constexpr const char* kFolderOfRoot = "/run";

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return fail(host_error("the name of the recorder's socket is too long: " + path));
  std::ranges::copy(path, address.sun_path);
  return address;
}

files::Descriptor make_socket() {
  return files::Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

bool bind_to(const files::Descriptor& fd, const sockaddr_un& address) {
  const mode_t before = umask(0177);
  const bool bound = bind(fd.get(), generic(address), sizeof address) == 0;
  umask(before);
  return bound;
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

Result<files::Descriptor> connect_to_recorder(const std::string& path) {
  KUTRACE_ASSIGN(const sockaddr_un address, address_of(path));
  files::Descriptor fd = make_socket();
  if (connect(fd.get(), generic(address), sizeof address) == 0) return fd;
  if (errno == ENOENT || errno == ECONNREFUSED) return files::Descriptor();
  return fail(host_error("cannot reach the recorder at " + path + ": " + errno_text(errno)));
}

Result<files::Descriptor> listen_for_orders(const std::string& path, std::string_view hint) {
  KUTRACE_ASSIGN(const sockaddr_un address, address_of(path));
  files::Descriptor fd = make_socket();
  bool bound = bind_to(fd, address);
  if (!bound && errno == EADDRINUSE) {
    KUTRACE_ASSIGN(const files::Descriptor other, connect_to_recorder(path));
    if (other.get() >= 0)
      return fail(host_error("another recorder listens at " + path).with_hint(std::string(hint)));
    unlink(path.c_str());
    bound = bind_to(fd, address);
  }
  if (bound && listen(fd.get(), kWaiting) == 0) return fd;
  return fail(host_error("cannot listen at " + path + ": " + errno_text(errno)));
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

bool send_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t put = send(fd, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += static_cast<std::size_t>(put);
  }
  return true;
}

}  // namespace kutrace::record
