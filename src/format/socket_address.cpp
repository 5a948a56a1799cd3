// SPDX-License-Identifier: BSD-3-Clause
// Taking a sockaddr apart.
#include "format/socket_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace kutrace {

namespace {

template <typename T>
bool fill_from(T& value, std::string_view bytes, std::size_t least) {
  if (bytes.size() < least) return false;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return true;
}

std::string unix_path(std::string_view bytes) {
  const std::size_t at = offsetof(sockaddr_un, sun_path);
  if (bytes.size() <= at) return {};
  const std::string_view path = bytes.substr(at);
  const bool is_abstract = path.front() == '\0';
  return std::string(is_abstract ? path : path.substr(0, path.find('\0')));
}

}  // namespace

std::string host_text(int family, const void* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(family, address, text.data(), text.size());
  return text.data();
}

std::optional<SocketAddress> parse_socket_address(std::string_view bytes) {
  SocketAddress address;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  sockaddr_nl netlink{};
  if (!fill_from(address.family, bytes, sizeof address.family)) return {};
  if (address.family == AF_INET && fill_from(v4, bytes, offsetof(sockaddr_in, sin_zero))) {
    address.host = host_text(AF_INET, &v4.sin_addr);
    address.port = ntohs(v4.sin_port);
  } else if (address.family == AF_INET6 &&
             fill_from(v6, bytes, offsetof(sockaddr_in6, sin6_scope_id))) {
    address.host = host_text(AF_INET6, &v6.sin6_addr);
    address.port = ntohs(v6.sin6_port);
    address.flow = ntohl(v6.sin6_flowinfo);
    address.scope = v6.sin6_scope_id;
  } else if (address.family == AF_UNIX) {
    address.path = unix_path(bytes);
  } else if (address.family == AF_NETLINK && fill_from(netlink, bytes, sizeof netlink)) {
    address.netlink_id = netlink.nl_pid;
    address.netlink_groups = netlink.nl_groups;
  } else {
    return {};
  }
  return address;
}

std::string short_text(const SocketAddress& address) {
  const std::string port = address.port == 0 ? "?" : std::to_string(address.port);
  if (address.family == AF_INET) return fmt::format("{}:{}", address.host, port);
  if (address.family == AF_INET6) return fmt::format("[{}]:{}", address.host, port);
  if (address.path.empty()) return {};
  if (address.path.front() == '\0') return fmt::format("@\"{}\"", address.path.substr(1));
  return fmt::format("\"{}\"", address.path);
}

std::string socket_kind(std::uint32_t family, std::uint32_t type) {
  constexpr std::uint32_t kTypeMask = 0xf;  // above it are SOCK_NONBLOCK and SOCK_CLOEXEC
  type &= kTypeMask;
  const bool is_stream = type == SOCK_STREAM;
  const bool is_datagram = type == SOCK_DGRAM;
  if (family == AF_UNIX) return is_stream ? "UNIX-STREAM" : is_datagram ? "UNIX-DGRAM" : "UNIX";
  if (family == AF_NETLINK) return "NETLINK";
  if (family != AF_INET && family != AF_INET6) return "socket";
  const std::string name = is_stream ? "TCP" : is_datagram ? "UDP" : "RAW";
  return family == AF_INET6 ? name + "v6" : name;
}

std::string socket_name(std::string_view kind, std::string_view local, std::string_view remote) {
  if (remote.empty() && local.empty()) return std::string(kind);
  if (remote.empty()) return fmt::format("{}:[{}]", kind, local);
  return fmt::format("{}:[{}->{}]", kind, local.empty() ? "?" : local, remote);
}

}  // namespace kutrace
