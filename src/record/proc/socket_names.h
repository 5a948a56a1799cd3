// SPDX-License-Identifier: BSD-3-Clause
// Names of sockets. In: a folder /proc/PID/net and links of /proc/PID/fd; out: ends of connections.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kutrace::record {

// "socket:[812]"
bool is_socket_link(std::string_view link);

class SocketNames {
 public:
  // All sockets of this network namespace.
  void read(const std::string& folder);
  // One line of its table; tables are named as their files are.
  void add(std::string_view table, const std::string& line);
  // "TCP:[127.0.0.1:80->127.0.0.1:5123]"; the link itself if the socket is not known.
  std::string name_of(const std::string& link) const;

 private:
  std::unordered_map<std::uint64_t, std::string> names_;  // by inode
};

}  // namespace kutrace::record
