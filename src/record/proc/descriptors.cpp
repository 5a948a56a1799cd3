// SPDX-License-Identifier: BSD-3-Clause
// Reads /proc/PID/fd, with flags of /proc/PID/fdinfo.
#include "record/proc/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "files/small_file.h"
#include "record/proc/proc_folder.h"
#include "record/proc/socket_names.h"

namespace kutrace::record {

namespace {

// Empty: it cannot be read.
std::string link_text(const std::string& path) {
  std::array<char, PATH_MAX> text{};
  const ssize_t length = readlink(path.c_str(), text.data(), text.size());
  return length <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(length));
}

bool closes_on_exec(const std::string& info) {
  constexpr std::string_view kFlags = "flags:";
  const std::string text = files::read_text(info);
  const std::size_t at = text.find(kFlags);
  if (at == std::string::npos) return false;
  return (std::strtoul(text.c_str() + at + kFlags.size(), nullptr, 8) & O_CLOEXEC) != 0;
}

}  // namespace

std::vector<DescriptorRecord> read_descriptors(const std::vector<Pid>& processes,
                                               const std::function<Ticks()>& now) {
  std::vector<DescriptorRecord> records;
  std::map<std::string, SocketNames> sockets;  // by network namespace
  for (const Pid process : processes.empty() ? numbers_in("/proc") : processes) {
    const std::string folder = "/proc/" + std::to_string(process);
    Ticks at = now();  // before it is read: what happens then is newer
    const std::string cwd = link_text(folder + "/cwd");
    if (!cwd.empty()) records.push_back({process, at, DescriptorRecord::kFolder, false, cwd});
    for (const std::int32_t number : numbers_in(folder + "/fd")) {
      const std::string text = std::to_string(number);
      at = now();
      std::string name = link_text(folder + "/fd/" + text);
      if (name.empty()) continue;
      if (is_socket_link(name)) {
        const auto [known, is_new] = sockets.try_emplace(link_text(folder + "/ns/net"));
        if (is_new) known->second.read(folder + "/net");
        name = known->second.name_of(name);
      }
      const bool close_on_exec = closes_on_exec(folder + "/fdinfo/" + text);
      records.push_back({process, at, number, close_on_exec, std::move(name)});
    }
  }
  return records;
}

}  // namespace kutrace::record
