// SPDX-License-Identifier: BSD-3-Clause
// Opening, and the facts of the start.
#include "record/run/opened_source.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmath>
#include <utility>

#include "files/small_file.h"
#include "format/unseen.h"
#include "record/proc/idle_states.h"
#include "record/proc/link_speed.h"
#include "record/proc/other_recorders.h"
#include "record/proc/pid_namespace.h"
#include "record/run/open_source.h"

namespace kutrace::record {

namespace {

// The one that was chosen; eBPF where the module refuses, as what it records already cannot be
// shared, and another source may be taken.
Status open_chosen(const RecordOptions& options, const SourceOptions& wanted,
                   OpenedSource& opened) {
  auto source = open_source_of(options.source, wanted);
  if (!source && options.may_take_ebpf && options.source == SourceKind::kModule) {
    opened.why_ebpf = source.error().sentence;
    source = open_source_of(SourceKind::kEbpf, wanted);
  }
  if (!source) return fail(source.error());
  opened.source = std::move(*source);
  return {};
}

}  // namespace

Result<OpenedSource> open_for(const RecordOptions& options, std::uint32_t mb, Stopwatch& course) {
  OpenedSource opened;
  opened.other_recorders = count_other_recorders();
  opened.knows_pids = knows_kernel_pids();
  const CallTime without = time_one_call();
  auto wanted = static_cast<const SourceOptions&>(options);
  wanted.blocks = mb * kBlocksPerMb;
  course.over("look around");
  KUTRACE_TRY(open_chosen(options, wanted, opened));
  const Source& source = *opened.source;
  course.add(source.opening());
  KUTRACE_ASSIGN(opened.cost, measure_cost(*opened.source, without));
  course.over("measure the cost");
  opened.unseen = source.unseen();
  for (const std::string& what : source.switched_off())
    opened.unseen.push_back(what + std::string(kSwitchedOff));
  if (opened.is_filtered(options.filter) || source.shows_own_only())
    opened.unseen.emplace_back(kLeftOutByFilter);
  opened.lacking = source.lacking();
  if (!opened.knows_pids) {
    opened.unseen.emplace_back(kPidsNotKnown);
    opened.lacking.emplace_back(kPidsNotKnown);
  }
  return opened;
}

void add_recording_facts(NameEntries& names, const OpenedSource& opened,
                         const RecordOptions& options, const ClockReading& start,
                         std::optional<Pid> command) {
  const Source& source = *opened.source;
  const SourceShare share = source.share_of(options);
  utsname machine{};
  uname(&machine);
  names.add(fact::kSource, std::string(source.name()));
  names.add(fact::kHooks, source.hooks());
  names.add(fact::kTickNs, source.tick_rate());
  names.add(fact::kClock, std::string(source.clock_name()));
  names.add(fact::kStartMonotonicNs, start.monotonic_ns);
  names.add(fact::kMode, std::string(name_of(options.mode)));
  names.add(fact::kCpusOnline, source.cpus());
  names.add(fact::kUname, fmt::format("{} {} {} {} {}", machine.sysname, machine.nodename,
                                      machine.release, machine.version, machine.machine));
  names.add(fact::kBootId, files::read_line("/proc/sys/kernel/random/boot_id"));
  if (!options.title.empty()) names.add(fact::kTitle, options.title);
  if (!options.command_line.empty()) names.add(fact::kCommandLine, options.command_line);
  if (opened.knows_pids) names.add(fact::kRecorderPid, static_cast<std::uint64_t>(getpid()));
  if (opened.knows_pids && command)
    names.add(fact::kCommandPid, static_cast<std::uint64_t>(*command));
  names.add(fact::kEvents, share.groups.names());
  if (!source.has_fault_returns()) names.add(fact::kFaultReturns, false);
  if (share.arguments.is_set()) names.add(fact::kArguments, share.arguments.calls.size());
  if (opened.knows_pids) names.add(fact::kCgroups, true);
  if (opened.knows_pids && source.tells_group_moves()) names.add(fact::kCgroupMoves, true);
  if (options.groups.has(EventGroup::kCounters))
    names.add(fact::kCounterPeriod, static_cast<std::uint64_t>(options.counter_period));
  if (source.shows_own_only()) {
    ThreadFilter own;
    own.user = geteuid();
    names.add(fact::kRecordedThreads, own.text());
  } else if (opened.is_filtered(options.filter)) {
    names.add(fact::kRecordedThreads, options.filter.text());
  }
  if (share.groups.has(EventGroup::kNet))
    if (const auto mbit_per_s = link_speed("/sys/class/net"))
      names.add(fact::kLinkSpeed, std::uint64_t{*mbit_per_s});
  if (opened.other_recorders != 0) names.add(fact::kOtherRecorders, opened.other_recorders);
  if (const auto ns = opened.cost.ns_per_event())
    names.add(fact::kCostNsPerEvent, rounded(*ns, 10));
  const std::vector<IdleState> states = read_idle_states();
  for (std::size_t i = 0; i < states.size(); ++i)
    names.add(fmt::format("{}{}", fact::kIdleState, i),
              fmt::format("{},{},{}", states[i].name, states[i].latency_us, states[i].mwait_hint));
  for (const std::string& line : opened.unseen) names.add(fact::kUnseen, line);
}

}  // namespace kutrace::record
