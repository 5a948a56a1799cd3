// SPDX-License-Identifier: BSD-3-Clause
// Names in /proc/net/unix: an abstract one begins with @ there.
#include "record/proc/other_recorders.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>

#include "files/small_file.h"

namespace kutrace::record {

namespace {

constexpr const char* kName = "kutrace-recorder-";

std::string own_name() { return kName + std::to_string(getpid()); }

}  // namespace

unsigned count_other_recorders() {
  unsigned count = 0;
  std::istringstream lines(files::read_text("/proc/net/unix"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(std::string(" @") + kName);
    if (at != std::string::npos && line.substr(at + 2) != own_name()) ++count;
  }
  return count;
}

RecorderSign::RecorderSign() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = own_name();  // behind a first byte of 0
  std::ranges::copy(name, address.sun_path + 1);
  fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  // Where it is refused, the others are not told; recording does not need it.
  if (fd_ >= 0 && bind(fd_, reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    close(fd_);
    fd_ = -1;
  }
}

RecorderSign::~RecorderSign() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace kutrace::record
