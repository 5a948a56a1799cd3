// SPDX-License-Identifier: BSD-3-Clause
// kutrace flight: a recorder that is always on, and keeps the moments in which something was wrong.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time_length.h"
#include "cli/command.h"
#include "cli/flight_service.h"
#include "cli/log.h"
#include "cli/output.h"
#include "cli/percent.h"
#include "cli/recording.h"
#include "record/flight/snapshot_socket.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Examples:
  kutrace flight -o flights --when 'call:fsync>10ms' --when 'delay>20ms' --keep-snapshots 20
  kutrace flight -o flights --when 'mark:request>5ms' --before 2s --after 1s --every 60s
  kutrace flight -o flights --when 'request:recvfrom..sendto>5ms' --on-snapshot ./tell-me
  kutrace flight -o flights --when 'delay>20ms' --max-share 1%
  kutrace flight --snapshot                    asks the running recorder for one, like SIGUSR1

Triggers of --when:
  call:NAME>TIME     a system call that lasted longer; * and ? match anything
  mark:LABEL>TIME    from a thread's mark LABEL to its mark /LABEL
  rpc:METHOD>TIME    from an RPC's request to its response
  request:A..B>TIME  from a thread's return from call A to that from B (kutrace why --request)
  wait:REASON>TIME   a thread waited for disk, net, lock, pipe, time ...; * is any reason
  delay>TIME         a ready thread waited for a CPU; delay:NAME>TIME: threads with this name
  exit, exit:NAME    a program ended with a status other than 0
  psi:cpu>20%        pressure on cpu, memory or io, over the last ten seconds
  load>8             load average of the last minute
  log:PATTERN        a line of the kernel log that matches: log:'*I/O error*'

Each snapshot is a raw trace; `kutrace info` shows its trigger.)";

struct Options {
  std::string folder = ".";
  std::vector<std::string> when;
  std::string source = "auto";
  std::string events;
  std::optional<std::uint32_t> buffer_mb;
  std::string keep;
  std::string before = "10s";
  std::string after = "100ms";
  std::string every = "10s";
  std::uint32_t keep_snapshots = 0;
  std::uint64_t keep_size = 0;
  std::string keep_age;
  std::string on_snapshot;
  std::string duration;
  std::string max_share;
  bool at_end = false;
  bool snapshot = false;
  bool quiet = false;
  bool verbose = false;
};

Result<Ns> time_of(const char* option, const std::string& text) {
  if (text.empty()) return 0;
  const Result<Ns> time = parse_time(text);
  if (!time)
    return fail(usage_error(std::string(option) + ": " + time.error().sentence)
                    .with_hint(time.error().hint));
  return *time;
}

Result<FlightWish> resolve_flight(const Options& options) {
  FlightWish wish;
  record::RecordOptions& record = wish.flight.record;
  KUTRACE_ASSIGN(record.buffer_mb, check_buffer(options.buffer_mb));
  KUTRACE_ASSIGN(record.groups, EventGroups::parse(options.events));
  for (const auto group : {EventGroup::kSamples, EventGroup::kCounters})
    if (record.groups.has(group))
      return fail(usage_error("--events: samples and counters are not recorded here")
                      .with_hint("kutrace record --mode wrap keeps the last part of them"));
  record.command_line = own_command_line();
  for (const std::string& text : options.when) {
    KUTRACE_ASSIGN(live::Trigger trigger, live::parse_trigger(text));
    if (const EventGroup needed = live::needed_group(trigger); needed != EventGroup::kAlways)
      record.groups.set(needed, true);
    wish.triggers.push_back(std::move(trigger));
  }
  KUTRACE_ASSIGN(wish.flight.keep, time_of("--keep", options.keep));
  KUTRACE_ASSIGN(wish.before, time_of("--before", options.before));
  KUTRACE_ASSIGN(wish.after, time_of("--after", options.after));
  KUTRACE_ASSIGN(wish.every, time_of("--every", options.every));
  KUTRACE_ASSIGN(wish.duration, time_of("--duration", options.duration));
  if (!options.duration.empty() && wish.duration == 0)
    return fail(usage_error("--duration: 0 would record nothing")
                    .with_hint("without it, it records until a signal"));
  KUTRACE_ASSIGN(wish.limits.age, time_of("--keep-age", options.keep_age));
  if (!options.max_share.empty()) {
    KUTRACE_ASSIGN(const double percent, parse_percent("--max-share", options.max_share));
    if (percent <= 0 || percent > 100)
      return fail(usage_error("--max-share: more than 0% and at most 100%"));
    wish.max_share = percent / 100;
  }
  if (wish.flight.keep != 0 && wish.flight.keep < wish.before + wish.after)
    return fail(usage_error("--keep is less than --before and --after together")
                    .with_hint("without --keep, the buffer holds what it can"));
  wish.limits.number = options.keep_snapshots;
  wish.limits.bytes = options.keep_size;
  wish.folder = options.folder;
  wish.on_snapshot = options.on_snapshot;
  wish.at_end = options.at_end;
  return wish;
}

Result<int> ask() {
  KUTRACE_ASSIGN(const std::string path, record::ask_for_snapshot());
  StandardOutput out;
  out.write(path + '\n');
  KUTRACE_TRY(out.finish());
  return static_cast<int>(ExitCode::kDone);
}

Result<int> run_flight_command(const Options& options) {
  if (options.verbose) show_log_from(LogLevel::kDebug);
  if (options.quiet) show_log_from(LogLevel::kWarn);
  if (options.snapshot) return ask();
  KUTRACE_ASSIGN(FlightWish wish, resolve_flight(options));
  wish.flight.record.source = choose_source(options.source);
  return run_flight(wish);
}

}  // namespace

void add_flight(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command(
      "flight", "Record all the time, and save what led to something slow or wrong");
  command.footer(kFooter);
  command
      .add_option("--when", options->when, "a trigger for a snapshot: see below; may be repeated")
      .one_each_time();
  command
      .add_option("--before", options->before, "time to keep before the event began; 0: everything")
      .shows_default();
  command.add_option("--after", options->after, "time to keep after the event ended")
      .shows_default();
  command
      .add_option("--every", options->every,
                  "at most one snapshot in this time; the next one counts those left out")
      .shows_default();
  command.add_option("--keep-snapshots", options->keep_snapshots,
                     "remove the oldest when there are more; 0: no limit");
  command.add_option("--keep-size", options->keep_size, "or when their total size is larger: 2GB")
      .byte_size();
  command.add_option("--keep-age", options->keep_age, "or when they are older: 86400s");
  command.add_option("--on-snapshot", options->on_snapshot,
                     "run this with each file's path, and `why` as JSON on its input");
  add_source_options(command, options->source, options->events);
  command.add_option("--buffer-mb", options->buffer_mb, "memory for blocks of events in MB (128)");
  command.add_option("--keep", options->keep, "also discard what is older than this");
  command.add_option("--max-share", options->max_share,
                     "limit of its CPU time, as 1% of the machine: switches groups off");
  command.add_option("--duration", options->duration, "end after this time");
  command.add_flag("--at-end", options->at_end, "also write a snapshot at the end");
  const Option snapshot =
      command.add_flag("--snapshot", options->snapshot,
                       "ask the running flight recorder for one, and print its path");
  command.add_option("-o,--output", options->folder, "folder of snapshots; created if necessary")
      .shows_default();
  command.add_flag("-q,--quiet", options->quiet, "only warnings and errors");
  command.add_flag("-v,--verbose", options->verbose, "also report what fired too soon");
  for (const char* const of_recorder :
       {"--when", "--before", "--after", "--every", "--keep-snapshots", "--keep-size", "--keep-age",
        "--on-snapshot", "--source", "--events", "--buffer-mb", "--keep", "--max-share",
        "--duration", "--at-end", "--output"})
    snapshot.excludes(of_recorder);
  command.runs(options, run_flight_command);
}

}  // namespace kutrace::cli
