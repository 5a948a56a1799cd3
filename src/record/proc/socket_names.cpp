// SPDX-License-Identifier: BSD-3-Clause
// Reads tables of tcp, udp and unix sockets.
#include "record/proc/socket_names.h"

#include <sys/socket.h>

#include <array>
#include <fstream>
#include <optional>
#include <vector>

#include "base/number_text.h"
#include "base/text.h"
#include "format/socket_address.h"

namespace kutrace::record {

namespace {

constexpr std::string_view kLink = "socket:[";

// "0100007F:0050": words of the address as the machine has them, and the port.
std::optional<SocketAddress> address_of(const std::string& text) {
  constexpr std::size_t kDigits = 8;
  const std::size_t colon = text.find(':');
  if (colon != kDigits && colon != 4 * kDigits) return {};
  const auto port = parse_number<std::uint16_t>(std::string_view(text).substr(colon + 1), 16);
  std::array<std::uint32_t, 4> words{};
  for (std::size_t i = 0; i < colon / kDigits; ++i) {
    const auto word =
        parse_number<std::uint32_t>(std::string_view(text).substr(i * kDigits, kDigits), 16);
    if (!word) return {};
    words.at(i) = *word;
  }
  if (!port) return {};
  SocketAddress address;
  address.family = colon == kDigits ? AF_INET : AF_INET6;
  address.port = *port;
  address.host = host_text(address.family, words.data());
  return address;
}

std::string inet_name(std::uint32_t type, const std::vector<std::string>& words) {
  const auto local = address_of(words[1]);
  const auto remote = address_of(words[2]);
  if (!local || !remote) return {};
  const bool is_connected = remote->port != 0;
  return socket_name(socket_kind(local->family, type), short_text(*local),
                     is_connected ? short_text(*remote) : std::string());
}

std::string unix_name(const std::vector<std::string>& words) {
  constexpr std::size_t kPath = 7;
  const auto type = parse_number<std::uint32_t>(words[4], 16);
  if (!type) return {};
  SocketAddress address;
  address.family = AF_UNIX;
  if (words.size() > kPath) address.path = words[kPath];
  if (address.path.starts_with('@')) address.path.front() = '\0';
  return socket_name(socket_kind(AF_UNIX, *type), short_text(address), {});
}

}  // namespace

bool is_socket_link(std::string_view link) { return link.starts_with(kLink); }

void SocketNames::add(std::string_view table, const std::string& line) {
  constexpr std::size_t kInetInode = 9;
  constexpr std::size_t kUnixInode = 6;
  const std::vector<std::string> words = split_words(line);
  const bool is_unix = table == "unix";
  const std::size_t at = is_unix ? kUnixInode : kInetInode;
  if (words.size() <= at) return;
  const auto inode = parse_number<std::uint64_t>(words[at], 10);
  if (!inode || *inode == 0) return;
  const std::uint32_t type = table.starts_with("tcp") ? SOCK_STREAM : SOCK_DGRAM;
  std::string name = is_unix ? unix_name(words) : inet_name(type, words);
  if (!name.empty()) names_[*inode] = std::move(name);
}

void SocketNames::read(const std::string& folder) {
  for (const char* table : {"tcp", "tcp6", "udp", "udp6", "unix"}) {
    std::ifstream in(folder + "/" + table);
    std::string line;
    std::getline(in, line);  // the heads of its columns
    while (std::getline(in, line)) add(table, line);
  }
}

std::string SocketNames::name_of(const std::string& link) const {
  if (!is_socket_link(link) || !link.ends_with(']')) return link;
  const std::string_view number =
      std::string_view(link).substr(kLink.size(), link.size() - kLink.size() - 1);
  const auto inode = parse_number<std::uint64_t>(number, 10);
  const auto known = inode ? names_.find(*inode) : names_.end();
  return known == names_.end() ? link : known->second;
}

}  // namespace kutrace::record
