// SPDX-License-Identifier: BSD-3-Clause
// Times without characters that shells or file systems take for something else.
#include "cli/utc_name.h"

#include <fmt/format.h>
#include <sys/time.h>

#include <array>
#include <ctime>

namespace kutrace::cli {

namespace {

std::string utc_text(std::time_t seconds) {
  std::tm utc{};
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%S", gmtime_r(&seconds, &utc));
  return text.data();
}

}  // namespace

std::string utc_seconds() { return utc_text(std::time(nullptr)) + 'Z'; }

std::string utc_milliseconds() {
  constexpr int kUsPerMs = 1000;
  timeval now{};
  gettimeofday(&now, nullptr);
  return fmt::format("{}.{:03}Z", utc_text(now.tv_sec), now.tv_usec / kUsPerMs);
}

}  // namespace kutrace::cli
