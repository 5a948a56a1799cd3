// SPDX-License-Identifier: BSD-3-Clause
// Messages for whoever ran the command, one line each on standard error. In: a level and a text, as
// fmt formats it; out: the line, unless the level is below what is shown. The logger behind it
// stays in log.cpp, as its headers take longer to compile than most commands.
#pragma once

#include <fmt/core.h>

#include <utility>

namespace kutrace::cli {

enum class LogLevel { kDebug, kInfo, kWarn, kError, kCritical };

// Before all else. Colours where standard error is a terminal that may have them.
void set_up_log();
// What is below this level is not shown. At first: kInfo.
void show_log_from(LogLevel level);
void write_formatted_log(LogLevel level, fmt::string_view text, fmt::format_args values);

template <typename... Values>
void write_log(LogLevel level, fmt::format_string<Values...> text, Values&&... values) {
  write_formatted_log(level, text, fmt::make_format_args(values...));
}
template <typename... Values>
void log_debug(fmt::format_string<Values...> text, Values&&... values) {
  write_formatted_log(LogLevel::kDebug, text, fmt::make_format_args(values...));
}
template <typename... Values>
void log_info(fmt::format_string<Values...> text, Values&&... values) {
  write_formatted_log(LogLevel::kInfo, text, fmt::make_format_args(values...));
}
template <typename... Values>
void log_warn(fmt::format_string<Values...> text, Values&&... values) {
  write_formatted_log(LogLevel::kWarn, text, fmt::make_format_args(values...));
}
template <typename... Values>
void log_error(fmt::format_string<Values...> text, Values&&... values) {
  write_formatted_log(LogLevel::kError, text, fmt::make_format_args(values...));
}
template <typename... Values>
void log_critical(fmt::format_string<Values...> text, Values&&... values) {
  write_formatted_log(LogLevel::kCritical, text, fmt::make_format_args(values...));
}

}  // namespace kutrace::cli
