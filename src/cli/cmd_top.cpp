// SPDX-License-Identifier: BSD-3-Clause
// kutrace top: where each thread's time goes, second by second.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>

#include "base/time_length.h"
#include "cli/command.h"
#include "cli/live_times.h"
#include "cli/log.h"
#include "cli/output.h"
#include "cli/recording.h"
#include "cli/top_lines.h"
#include "cli/top_screen.h"
#include "cli/utc_name.h"
#include "record/run/stop_signal.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Keys: c on CPU, r ready, w waiting, k calls, p their p99, n name: the order of rows; t threads or
programs; / a filter, Esc clears it; space freezes; s writes a page of the most recent events; q quits.

Examples:
  kutrace top                          a screen, refreshed each second
  kutrace top --once                   one second as text
  kutrace top -n 10 --interval 500ms --sort ready --programs
  kutrace top --once --filter 'nginx*' --format json

A thread's time on CPU, ready and waiting adds up to the whole interval. A wait that has not ended has
no reason yet: (under way).)";

struct TopOptions {
  std::string interval = "1s";
  bool once = false;
  std::uint32_t number = 0;
  std::string format = "table";
  std::string sort = "cpu";
  std::string filter;
  bool programs = false;
  std::uint32_t rows = 0;
  std::string last = "10s";
  std::string source = "auto";
  std::string events;
  std::optional<std::uint32_t> buffer_mb;
};

TopOrder order_from(const std::string& word) {
  if (word == "ready") return TopOrder::kReady;
  if (word == "waits") return TopOrder::kWaiting;
  if (word == "calls") return TopOrder::kCalls;
  if (word == "p99") return TopOrder::kP99;
  return word == "name" ? TopOrder::kName : TopOrder::kOnCpu;
}

bool goes_on(const LiveTimes& live) {
  return record::StopSignal::received() == 0 && live.recorder().ended_by().empty();
}

Status print_intervals(LiveTimes& live, const TopOptions& options, const TopView& view,
                       std::uint32_t number) {
  StandardOutput out;
  for (std::uint32_t done = 0; done < number && goes_on(live);) {
    KUTRACE_ASSIGN(const auto times, live.work());
    if (times) {
      if (options.format == "json") {
        out.line(top_json(*times, view));
      } else {
        if (done != 0) out.line("");
        for (const std::string& line : top_lines(*times, view)) out.line(line);
      }
      ++done;
      KUTRACE_TRY(out.flush());
    }
    live.pause(-1);
  }
  return out.finish();
}

// The terminal: who reads from it gets nothing any more.
bool is_terminal_gone() {
  pollfd terminal{STDIN_FILENO, POLLIN, 0};
  return poll(&terminal, 1, 0) > 0 && (terminal.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

Status show_screen(LiveTimes& live, const TopView& view, Ns last) {
  KUTRACE_ASSIGN(TopScreen screen, TopScreen::open(view));
  while (goes_on(live) && !is_terminal_gone()) {
    KUTRACE_ASSIGN(auto times, live.work());
    if (times) screen.show(*std::move(times));
    if (!screen.handle_keys()) break;
    if (screen.wants_page()) {
      live.begin_page(fmt::format("top-{}.html", utc_seconds()), last);
      screen.say("writing the last moments");
    }
    if (auto news = live.page_news()) screen.say(*std::move(news));
    live.pause(STDIN_FILENO);
  }
  return {};
}

Result<int> run_top(const TopOptions& options) {
  record::FlightOptions flight;
  KUTRACE_ASSIGN(flight.record.buffer_mb, check_buffer(options.buffer_mb));
  KUTRACE_ASSIGN(flight.record.groups, EventGroups::parse(options.events));
  KUTRACE_ASSIGN(const Ns interval, parse_time(options.interval));
  constexpr Ns kLeastInterval = 50'000'000;
  if (interval < kLeastInterval) return fail(usage_error("--interval: at least 50ms"));
  KUTRACE_ASSIGN(const Ns last, parse_time(options.last));
  flight.record.command_line = own_command_line();
  TopView view;
  view.order = order_from(options.sort);
  view.by_program = options.programs;
  view.filter = options.filter;
  view.rows = options.rows;
  const bool is_screen = !options.once && options.number == 0 && options.format == "table" &&
                         isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  if (!is_screen && !options.once && options.number == 0)
    return fail(usage_error("the output is not a terminal")
                    .with_hint("--once prints one interval as text, -n N prints N"));
  show_log_from(LogLevel::kWarn);
  flight.record.source = choose_source(options.source);
  const record::StopSignal signals;
  KUTRACE_ASSIGN(LiveTimes live, LiveTimes::start(std::move(flight), interval));
  if (is_screen) {
    KUTRACE_TRY(show_screen(live, view, last));
  } else {
    KUTRACE_TRY(print_intervals(live, options, view, options.number != 0 ? options.number : 1));
  }
  if (const std::string why = live.recorder().ended_by(); !why.empty())
    log_warn("the recording ended: {}", why);
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_top(const Command& program) {
  auto options = std::make_shared<TopOptions>();
  const Command command =
      program.add_command("top", "Show where each thread's time goes, second by second");
  command.footer(kFooter);
  command.add_option("--interval", options->interval, "length of an interval").shows_default();
  command.add_flag("--once", options->once, "print one interval as text");
  command.add_option("-n,--number", options->number, "print this many intervals as text")
      .excludes("--once");
  command.add_option("--sort", options->sort, "order of rows")
      .one_of({"cpu", "ready", "waits", "calls", "p99", "name"})
      .shows_default();
  command.add_option("--filter", options->filter,
                     "only threads that match: part of a name, a pattern, or a number");
  command.add_flag("--programs", options->programs, "show the threads of a process together");
  command.add_option("--rows", options->rows, "number of rows; 0: all, or what fits the screen");
  command.add_option("--last", options->last, "length of the page written by key s")
      .shows_default()
      .excludes("--once")
      .excludes("--number");
  add_source_options(command, options->source, options->events);
  command.add_option("--buffer-mb", options->buffer_mb, "memory for blocks of events in MB (128)");
  command.add_option("--format", options->format, "format of the text")
      .one_of({"table", "json"})
      .shows_default();
  command.runs(options, run_top);
}

}  // namespace kutrace::cli
