// SPDX-License-Identifier: BSD-3-Clause
// Messages, handed on to spdlog.
#include "cli/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "cli/standard_error.h"

namespace kutrace::cli {

namespace {

spdlog::level::level_enum level_of(LogLevel level) {
  constexpr std::array kLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                               spdlog::level::err, spdlog::level::critical};
  return kLevels[static_cast<std::size_t>(level)];
}

}  // namespace

void set_up_log() {
  const char* plain = std::getenv("NO_COLOR");
  const bool may_colour = plain == nullptr || *plain == '\0';
  auto logger = spdlog::stderr_color_st(
      "kutrace", may_colour ? spdlog::color_mode::automatic : spdlog::color_mode::never);
  logger->set_pattern("kutrace: %^%l%$: %v");
  spdlog::set_default_logger(std::move(logger));
}

void show_log_from(LogLevel level) { spdlog::set_level(level_of(level)); }

void write_formatted_log(LogLevel level, fmt::string_view text, fmt::format_args values) {
  if (!spdlog::should_log(level_of(level))) return;
  const NoPipeSignal no_signal;
  spdlog::log(level_of(level), "{}", fmt::vformat(text, values));
}

}  // namespace kutrace::cli
