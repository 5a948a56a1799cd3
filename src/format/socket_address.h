// SPDX-License-Identifier: BSD-3-Clause
// Addresses of sockets and names of connections. In: the bytes of a sockaddr, as Linux has it; out:
// its parts, and texts as strace -yy shows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kutrace {

struct SocketAddress {
  std::uint16_t family = 0;  // AF_*
  std::string host;          // AF_INET, AF_INET6: in digits
  std::uint16_t port = 0;
  std::uint32_t flow = 0;   // AF_INET6
  std::uint32_t scope = 0;  // AF_INET6
  std::string path;         // AF_UNIX; begins with NUL if it is abstract; empty: not bound
  std::uint32_t netlink_id = 0;
  std::uint32_t netlink_groups = 0;
};

// An in_addr or in6_addr, for AF_INET or AF_INET6.
std::string host_text(int family, const void* address);
// Nothing if the family is another one, or if bytes are missing.
std::optional<SocketAddress> parse_socket_address(std::string_view bytes);

// "127.0.0.1:80"; "[::1]:?" if the kernel is to choose the port; "\"/run/x.sock\"";
// "@\"abstract\""; empty if the address says nothing.
std::string short_text(const SocketAddress& address);

// "TCP", "UDPv6", "UNIX-STREAM", ... for AF_* and SOCK_*.
std::string socket_kind(std::uint32_t family, std::uint32_t type);
// "TCP:[127.0.0.1:80->127.0.0.1:5123]", "TCP:[127.0.0.1:80]", "TCP". An end that is not known, or
// that is not there, is empty.
std::string socket_name(std::string_view kind, std::string_view local, std::string_view remote);

}  // namespace kutrace
