// SPDX-License-Identifier: BSD-3-Clause
// Stream sockets that have a name in the file system. A process that listens holds the name: one
// that was killed is not in the way, another that lives is, and so is whatever is no socket.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "files/descriptor.h"

namespace kutrace::files {

class LocalSocket {
 public:
  LocalSocket() = default;
  LocalSocket(LocalSocket&& other) noexcept;
  LocalSocket& operator=(LocalSocket&& other) noexcept;
  ~LocalSocket() { remove_name(); }

  enum class Reach { kOwner, kAllUsers };
  // Fails if another process listens there; `hint` says what to do then.
  static Result<LocalSocket> listen_at(const std::string& path, std::string_view hint,
                                       Reach reach = Reach::kOwner);

  int get() const { return socket_.get(); }
  explicit operator bool() const { return static_cast<bool>(socket_); }
  // The socket goes to somebody else, the name stays here.
  Descriptor take_descriptor() { return std::move(socket_); }
  // Unless somebody else has it by now.
  void remove_name();

 private:
  LocalSocket(Descriptor socket, std::string path);

  Descriptor socket_;
  std::string path_;  // empty: there is none any more
  dev_t device_ = 0;
  ino_t file_ = 0;
};

// Where a process of this user has its socket, by the name of the file.
Result<std::string> socket_path(std::string_view name);
// -1 in the descriptor: nobody listens there.
Result<Descriptor> connect_to_socket(const std::string& path);

// All until the other side has said its last.
std::string read_all(int fd);
// The same, as far as it comes in so long a time, and at most so many bytes.
std::string read_soon(int fd, std::size_t most, std::chrono::milliseconds patience);
// False: it cannot be reached, as errno says.
bool send_all(int fd, std::string_view text);

}  // namespace kutrace::files
