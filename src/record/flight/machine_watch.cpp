// SPDX-License-Identifier: BSD-3-Clause
// Files of /proc, and /dev/kmsg.
#include "record/flight/machine_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/number_text.h"
#include "base/shell_pattern.h"
#include "files/small_file.h"

namespace kutrace::record {

namespace {

constexpr std::size_t kMostLines = 1000;  // of a round

std::optional<double> number_after(const std::string& text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string::npos) return std::nullopt;
  double number = 0;
  const char* const begin = text.data() + at + word.size();
  if (std::from_chars(begin, text.data() + text.size(), number).ec != std::errc())
    return std::nullopt;
  return number;
}

}  // namespace

std::string kernel_log_text(const std::string& record) {
  const std::size_t semicolon = record.find(';');
  const std::string_view first = std::string_view(record).substr(0, record.find(','));
  const auto priority = parse_number<std::uint32_t>(first);
  constexpr std::uint32_t kLevels = 8;  // facility 0 is the kernel
  if (semicolon == std::string::npos || !priority || *priority >= kLevels) return {};
  return record.substr(semicolon + 1, record.find('\n') - semicolon - 1);
}

std::optional<std::uint64_t> kernel_log_number(const std::string& record) {
  const std::size_t begin = record.find(',');
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = record.find(',', begin + 1);
  return parse_number<std::uint64_t>(std::string_view(record).substr(begin + 1, end - begin - 1));
}

Result<MachineWatch> MachineWatch::open(bool with_log) {
  MachineWatch watch;
  if (!with_log) return watch;
  watch.log_ = files::Descriptor(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!watch.log_)
    return fail(host_error("cannot read the kernel's log: " + errno_text(errno))
                    .with_hint("--when log: needs root, or CAP_SYSLOG"));
  while (const auto old = watch.next_record()) watch.last_record_ = kernel_log_number(*old);
  return watch;
}

std::optional<double> MachineWatch::pressure(const std::string& resource) const {
  return number_after(files::read_text("/proc/pressure/" + resource), "some avg10=");
}

std::optional<double> MachineWatch::load() const {
  return number_after(files::read_text("/proc/loadavg"), "");
}

bool MachineWatch::has_risen(const std::string& name, bool is_true) {
  const auto [known, is_first] = was_true_.try_emplace(name, is_true);
  const bool was_true = std::exchange(known->second, is_true);
  return is_true && !was_true;
}

// A record a read; EPIPE: some were overwritten before they were read, as the next number tells.
std::optional<std::string> MachineWatch::next_record() {
  std::array<char, 8192> record{};
  ssize_t got = -1;
  do {
    got = read(log_.get(), record.data(), record.size());
  } while (got < 0 && (errno == EINTR || errno == EPIPE));
  if (got <= 0) return std::nullopt;
  return std::string(record.data(), static_cast<std::size_t>(got));
}

void MachineWatch::read_log() {
  while (log_ && lines_.size() < kMostLines) {
    const auto record = next_record();
    if (!record) return;
    const auto number = kernel_log_number(*record);
    if (number && last_record_ && *number > *last_record_ + 1)
      missed_lines_ += *number - *last_record_ - 1;
    if (number) last_record_ = number;
    std::string text = kernel_log_text(*record);
    if (!text.empty()) lines_.push_back(std::move(text));
  }
}

std::vector<std::string> MachineWatch::log_lines(const std::string& pattern) const {
  std::vector<std::string> found;
  std::ranges::copy_if(lines_, std::back_inserter(found),
                       [&](const std::string& line) { return fits(pattern, line); });
  return found;
}

}  // namespace kutrace::record
