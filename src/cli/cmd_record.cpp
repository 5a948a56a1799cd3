// SPDX-License-Identifier: BSD-3-Clause
// kutrace record: the whole machine into a raw trace, while a command runs or until Ctrl-C.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "base/shell_pattern.h"
#include "base/text.h"
#include "cli/argument_options.h"
#include "cli/command.h"
#include "cli/late_filter.h"
#include "cli/log.h"
#include "cli/probed_functions.h"
#include "cli/recording.h"
#include "cli/time_text.h"
#include "files/files.h"
#include "record/run/recorder.h"
#include "record/run/stop_signal.h"
#include "record/run/summary_text.h"
#include "record/served/served_protocol.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Examples:
  kutrace record -- ./server --once            while a command runs, into trace.raw
  kutrace record -o run1.raw --duration 5      five seconds of the whole machine
  kutrace record --strings --follow -- make    the command and all that it starts, as strace does

Groups of events: syscalls irqs softirqs faults sched wakeups power net processes; off by default:
samples locks disk signals migrations memory fault_addresses timers workqueue sockets pages counters.
Context switches (sched) are always recorded: without them time has no owner.
The exit code is that of the command (help exit-codes). A limit ends the recording, not the command.)";

struct Options {
  ArgumentOptions data;
  std::string output = "trace.raw";
  std::string mode = "stream";
  std::string source = "auto";
  std::string daemon_socket = record::kDaemonSocket;
  std::string events;
  std::vector<std::uint32_t> pids;
  std::string user;
  std::vector<std::string> names;
  std::vector<std::string> cgroups;
  std::vector<std::string> units;
  bool follow = false;
  bool stacks = false;
  bool fault_addresses = false;
  std::optional<std::uint32_t> buffer_mb;
  std::uint64_t max_size = 0;
  std::string duration;
  std::string packets;
  std::vector<std::string> functions;
  std::uint32_t sample_hz = 0;
  std::string counter_period;
  bool ipc = false;
  bool llc = false;
  bool no_merge = false;
  bool no_fault_exit = false;
  std::string title;
  bool hide_command = false;
  bool quiet = false;
  bool verbose = false;
  std::vector<std::string> command;
};

constexpr std::uint32_t kDefaultSampleHz = 100;
constexpr std::uint32_t kSlowBufferMb = 1024;  // takes seconds to be made

record::RecordMode mode_from(const std::string& text) {
  if (text == "fill") return record::RecordMode::kFill;
  return text == "wrap" ? record::RecordMode::kWrap : record::RecordMode::kStream;
}

Result<record::ThreadFilter> filter_from(const Options& options) {
  record::ThreadFilter filter;
  filter.processes = options.pids;
  if (!options.user.empty()) {
    KUTRACE_ASSIGN(filter.user, record::user_number(options.user));
  }
  for (const std::string& list : options.names) {
    for (std::string& name : split_patterns(list)) filter.names.push_back(std::move(name));
  }
  filter.follow = options.follow;
  KUTRACE_TRY(record::check_filter(filter));
  std::vector<std::string> patterns = options.cgroups;
  for (const std::string& unit : options.units) patterns.push_back(record::unit_pattern(unit));
  KUTRACE_ASSIGN(filter.cgroups, record::find_cgroups(patterns, KUTRACE_FILTER_MOST));
  if (filter.follow && !filter.has_criteria() && options.command.empty())
    return fail(usage_error("--follow: whose children?")
                    .with_hint("give a command, --pid, --comm, --cgroup, --unit or --uid"));
  return filter;
}

Result<record::PacketFilter> packets_from(const Options& options, const EventGroups& groups) {
  if (options.packets.empty()) return record::PacketFilter();
  if (!groups.has(EventGroup::kNet))
    return fail(usage_error("--packets: --events leaves out packets (net)"));
  return record::PacketFilter::parse(options.packets);
}

// Samples and counters: how often, and of what.
Status choose_readings(const Options& options, record::RecordOptions& record) {
  record.sample_hz = options.sample_hz;
  if (record.sample_hz != 0) record.groups.set(EventGroup::kSamples, true);
  if (record.groups.has(EventGroup::kSamples) && record.sample_hz == 0)
    record.sample_hz = kDefaultSampleHz;
  record.counters = (options.ipc ? KUTRACE_FLAG_IPC : 0) | (options.llc ? KUTRACE_FLAG_LLC : 0);
  if (options.counter_period.empty()) return {};
  KUTRACE_ASSIGN(record.counter_period, parse_time(options.counter_period));
  if (record.counter_period < record::kLeastCounterPeriod)
    return fail(usage_error("--counter-period: at least 1ms"));
  record.groups.set(EventGroup::kCounters, true);
  return {};
}

Result<record::RecordOptions> resolve(const Options& options) {
  record::RecordOptions record;
  record.path = options.output;
  record.mode = mode_from(options.mode);
  KUTRACE_ASSIGN(record.buffer_mb, check_buffer(options.buffer_mb));
  if (options.command.empty() && ends_in_separator())
    return fail(usage_error("there is no command after --")
                    .with_hint("without --, it records until Ctrl-C"));
  if (!options.duration.empty()) {
    KUTRACE_ASSIGN(record.duration, parse_time(options.duration));
    if (record.duration == 0) return fail(usage_error("--duration: 0 would record nothing"));
  }
  record.max_bytes = options.max_size;
  if (record.max_bytes != 0 && record.mode != record::RecordMode::kStream)
    return fail(usage_error("--max-size limits a stream")
                    .with_hint(fmt::format("--buffer-mb says how much {} keeps", options.mode)));
  KUTRACE_ASSIGN(record.groups, EventGroups::parse(options.events));
  KUTRACE_ASSIGN(record.filter, filter_from(options));
  KUTRACE_ASSIGN(record.arguments, arguments_from(options.data));
  if (record.arguments.is_set() && !record.groups.has(EventGroup::kSyscalls))
    return fail(usage_error("arguments are of system calls, which --events leaves out"));
  record.stacks = options.stacks;
  if (options.fault_addresses) record.groups.set(EventGroup::kFaultAddresses, true);
  KUTRACE_ASSIGN(record.packets, packets_from(options, record.groups));
  KUTRACE_ASSIGN(record.functions, probed_functions(options.functions));
  if (!record.functions.empty() && options.source == "module")
    return fail(
        usage_error("--functions: the module probes no functions").with_hint("--source ebpf does"));
  const bool may_be_served = options.source == "daemon" || options.source == "auto";
  if (options.daemon_socket != record::kDaemonSocket && !may_be_served)
    return fail(usage_error("--daemon-socket: no daemon with --source " + options.source));
  KUTRACE_TRY(choose_readings(options, record));
  record.merge = !options.no_merge;
  record.fault_return = !options.no_fault_exit;
  record.command = options.command;
  record.title = options.title;
  if (!options.hide_command) record.command_line = own_command_line();
  return record;
}

// A command that could not be started has a status, and there is nothing else to say. One that did
// well is not recorded to its end where the source ended the recording.
int exit_status(const record::Summary& summary) {
  const bool is_about_file = summary.failure && summary.failure->kind == ErrorKind::kOutput;
  const bool is_cut = record::was_cut(summary) && summary.command_status.value_or(0) == 0;
  if (summary.command_status && !is_about_file && !is_cut) return *summary.command_status;
  if (summary.failure) return static_cast<int>(exit_code_for(summary.failure->kind));
  if (is_cut) return static_cast<int>(ExitCode::kHost);
  const bool never_began = summary.bytes == 0 && summary.interrupted_by;
  return static_cast<int>(never_began ? ExitCode::kInterrupted : ExitCode::kDone);
}

Result<int> run(const Options& options) {
  if (options.verbose) show_log_from(LogLevel::kDebug);
  if (options.quiet) show_log_from(LogLevel::kWarn);
  KUTRACE_ASSIGN(record::RecordOptions wanted, resolve(options));
  if (wanted.buffer_mb >= kSlowBufferMb)
    log_info("a buffer of {} MB takes a while to be made", wanted.buffer_mb);
  wanted.on_start = [](const record::StartNotes& notes) { print_notes(record::start_text(notes)); };
  wanted.daemon_socket = options.daemon_socket;
  wanted.shared = true;
  wanted.filter_at_end = options.output != "-" && !files::is_special(options.output);
  // The daemon says itself that it probes none.
  const bool is_ebpf = !wanted.functions.empty() && options.source != "daemon";
  wanted.source =
      is_ebpf ? record::SourceKind::kEbpf
              : choose_source(options.source, wanted.daemon_socket, record::can_join(wanted));
  wanted.may_take_ebpf = options.source == "auto";
  if (wanted.source == record::SourceKind::kDaemon && options.sample_hz != 0)
    return fail(usage_error("--samples: not through the daemon, which samples at its own rate")
                    .with_hint("--events +samples"));
  Result<record::Summary> recorded = record::record(wanted);
  // What a signal broke off is no failure.
  if (!recorded && record::StopSignal::received() != 0)
    return static_cast<int>(ExitCode::kInterrupted);
  KUTRACE_ASSIGN(record::Summary summary, std::move(recorded));
  if (summary.leaves_filter && summary.bytes != 0) leave_out_others(wanted.filter, summary);
  for (const record::Part& part : summary.parts) log_debug("{:6.1f} ms: {}", part.ms, part.what);
  if (summary.failure) log_error("{}", describe(*summary.failure));
  if (summary.bytes == 0) {
    if (wanted.mode != record::RecordMode::kStream && summary.tally.transitions != 0)
      log_error("what was recorded is lost, as no other place takes it: {} in {:.3f} s",
                counted(summary.tally.transitions, "event", "events"), summary.seconds);
    return exit_status(summary);
  }
  if (summary.path != options.output)
    log_warn("the recording is in {} instead", printable(summary.path));
  print_notes(
      record::summary_text(summary, options.output == "-" ? "standard output" : summary.path));
  return exit_status(summary);
}

void declare_options(const Command& command, Options& options) {
  command
      .add_option("--mode", options.mode,
                  "write as it records, end when full, or overwrite the oldest")
      .one_of({"stream", "fill", "wrap"})
      .shows_default();
  add_source_options(command, options.source, options.events, {"auto", "ebpf", "module", "daemon"});
  command.add_option("--daemon-socket", options.daemon_socket, "socket of the daemon")
      .shows_default();
  command.add_option("--buffer-mb", options.buffer_mb,
                     "trace buffer of the machine in MB (stream 64, fill and wrap 128)");
  command.add_option("--duration", options.duration,
                     "stop after this time: 5, 500ms, 2.5s; default unit s");
  command
      .add_option("--max-size", options.max_size,
                  "stop before the file exceeds this: 500MB, 2GB; 0: no limit")
      .byte_size();
  command.add_option("--pid", options.pids, "only these processes: 12,13").list();
  command.add_option("--uid", options.user, "only threads of this user: name or number");
  command.add_option("--comm", options.names, "only processes with these names: nginx,worker*")
      .one_each_time();
  command
      .add_option("--cgroup", options.cgroups,
                  "only processes in these control groups, or below: '*/nginx.service'")
      .list();
  command.add_option("--unit", options.units, "only these systemd units: nginx,app.slice").list();
  command.add_flag("--follow", options.follow,
                   "also what they start; alone: the command and what it starts");
  add_argument_options(command, options.data);
  command.add_option("--packets", options.packets,
                     "only packets whose payload matches MASK[:MATCH]");
  command
      .add_option("--functions", options.functions,
                  "calls of these functions: ./server:handle_*,libc.so.6:malloc")
      .list();
  command.add_option("--samples", options.sample_hz, "program counter samples per second and CPU")
      .between(1, 20000);
  command.add_option("--counter-period", options.counter_period,
                     "read memory, paging, pressure, ... at this period (100ms)");
  command.add_flag("--stacks", options.stacks, "stacks of threads switched away, and of samples");
  command.add_flag("--fault-addresses", options.fault_addresses,
                   "address of each page fault, as --events +fault_addresses");
  command.add_flag("--ipc", options.ipc,
                   "instructions per cycle: module only, if the machine counts them");
  command.add_flag("--llc", options.llc, "last-level cache misses, likewise");
  command.add_flag("--no-merge", options.no_merge, "write every return as a separate entry");
  command.add_flag("--no-fault-exit", options.no_fault_exit,
                   "record page faults without their return: cheaper");
  command.add_option("-o,--output", options.output, "trace file; - is standard output")
      .shows_default();
  command.add_option("--title", options.title, "title of the trace; default: the command");
  command.add_flag("--hide-command", options.hide_command,
                   "keep the command line, which may hold secrets, out of the trace");
  command.add_flag("-q,--quiet", options.quiet, "only warnings and errors");
  command.add_flag("-v,--verbose", options.verbose,
                   "print how long each step of starting and stopping took");
  command.add_option("command", options.command, "command and its arguments, after --");
}

}  // namespace

void add_record(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("record", "Record the machine into a raw trace");
  command.footer(kFooter);
  declare_options(command, *options);
  command.runs(options, run);
}

}  // namespace kutrace::cli
