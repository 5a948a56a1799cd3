// SPDX-License-Identifier: BSD-3-Clause
// Loading, attaching and starting the BPF programs.
#include "record/ebpf/ebpf_source.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <future>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/number_text.h"
#include "files/small_file.h"
#include "kutrace/control.h"
#include "kutrace/listeners.h"
#include "kutrace/owners.h"
#include "record/ebpf/block_pool.h"
#include "record/ebpf/capability.h"
#include "record/ebpf/file_limit.h"
#include "record/ebpf/function_probes.h"
#include "record/ebpf/group_moves.h"
#include "record/ebpf/kernel_types.h"
#include "record/ebpf/load_error.h"
#include "record/ebpf/mapping.h"
#include "record/ebpf/object.h"
#include "record/ebpf/programs.h"
#include "record/ebpf/trace_buffer.h"
#include "record/proc/call_time.h"
#include "record/proc/cgroup_folders.h"
#include "record/proc/cgroups.h"
#include "record/proc/idle_states.h"
#include "record/proc/kernel_addresses.h"
#include "record/proc/online_cpus.h"
#include "record/source/argument_settings.h"
#include "record/source/call_choice.h"
#include "record/source/hooks.h"
#include "record/source/misses.h"

namespace kutrace::record {

namespace {

constexpr std::uint32_t kLeastBlocksPerCpu = 8;
constexpr std::uint32_t kMostBlocksAhead = KUTRACE_RING / 2;
constexpr std::uint32_t kBlocksToTime = KUTRACE_RING / 8;
constexpr std::string_view kPerfSection = "perf_event";
// A second: it takes a call of the kernel for each program.
static_assert(kMonotonicShift == KUTRACE_TICK_SHIFT);
constexpr Ticks kTicksBetweenSkipReadings = 1'000'000'000 >> KUTRACE_TICK_SHIFT;

int open_software_event(CpuId cpu, std::uint64_t config, std::uint64_t period, bool is_frequency) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = config;
  attr.sample_period = period;
  attr.freq = is_frequency;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attr, -1, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC));
}

std::uint64_t software_event_of(const Hook& hook) {
  if (hook.group == EventGroup::kSamples) return PERF_COUNT_SW_CPU_CLOCK;
  if (hook.name == "fault_entry") return PERF_COUNT_SW_PAGE_FAULTS;
  return hook.name == "fault_return_major" ? PERF_COUNT_SW_PAGE_FAULTS_MAJ
                                           : PERF_COUNT_SW_PAGE_FAULTS_MIN;
}

// A packet is hashed by one of two programs; the better one asks the kernel for the bytes.
bool is_other_packet_program(std::string_view name, bool reads_whole_packets) {
  const bool whole = name.starts_with("whole_");
  return (whole || name == "netif_receive_skb" || name == "net_dev_start_xmit") &&
         whole != reads_whole_packets;
}

// System calls have programs that record their arguments, and programs that do not.
bool is_other_call_program(std::string_view program, bool with_arguments) {
  constexpr std::string_view kWithArguments = "arguments_";
  const bool has_arguments = program.starts_with(kWithArguments);
  if (has_arguments) program.remove_prefix(kWithArguments.size());
  return (program == "sys_enter" || program == "sys_exit") && has_arguments != with_arguments;
}

// Switches and samples have programs that record their stacks, and programs that do not.
bool is_other_stack_program(std::string_view program, bool with_stacks) {
  constexpr std::string_view kWithStacks = "stacks_";
  const bool has_stacks = program.starts_with(kWithStacks);
  if (has_stacks) program.remove_prefix(kWithStacks.size());
  return (program == "sched_switch" || program == "sample") && has_stacks != with_stacks;
}

bool can_read_whole_packets(const KernelTypes& types) {
  return may_call(types, "bpf_dynptr_from_skb", 6, 12);
}

constexpr const char* kStartProgram = "start_cpu";
constexpr const char* kOwnerProgram = "tell_owner";
constexpr const char* kReadProgram = "read_buffers";
constexpr const char* kBirthProgram = "birth";
constexpr std::string_view kGroupMoves = "group_attach";
constexpr std::string_view kGroupPrograms = "group_";
constexpr std::string_view kFutexWaits = "point_futex_wait";  // part of the program of switches
constexpr std::string_view kProbePrograms[] = {"probe_enter", "probe_leave"};

bool is_perf_event(const bpf_program* program) {
  return bpf_program__section_name(program) == kPerfSection;
}

// Marks come by write; left in buffers they are found only where it is seen who runs.
std::uint32_t carriers_of(const EventGroups& groups) {
  return KUTRACE_BY_WRITE | (groups.has(EventGroup::kSched) ? KUTRACE_READS_BUFFERS : 0);
}

// A program, and one of the hooks that it serves.
struct Attachment {
  bpf_program* program;
  const Hook* hook;

  // Empty if it is on none.
  std::string_view tracepoint() const {
    if (is_perf_event(program)) return {};
    const std::string_view section = bpf_program__section_name(program);
    const bool is_typed = section.starts_with(kTracepointSection);
    return is_typed ? section.substr(kTracepointSection.size()) : hook->name;
  }
};

class EbpfSource final : public Source {
 public:
  explicit EbpfSource(SourceOptions options) : options_(std::move(options)) {}
  Status open();

  std::string_view name() const override { return "ebpf"; }
  std::string_view clock_name() const override { return "CLOCK_MONOTONIC"; }
  TickRate tick_rate() const override { return kMonotonicRate; }
  Ticks now() const override { return monotonic_ticks(); }
  ClockReading read_clocks() const override { return read_monotonic_clocks(); }
  const std::vector<CpuId>& cpus() const override { return cpus_; }

  Result<CallTime> time_recorded_call() override;
  Status tell_processes(std::span<const std::uint32_t> processes, unsigned what) override;
  Status choose_arguments(const CallChoice& choice) override;
  Status start() override;
  Result<GroupSwitch> switch_groups(const EventGroups& groups) override;
  std::optional<FinishedBlock> open_block(CpuId cpu) const override {
    return pool_->open_block(cpu);
  }
  void wait_for_writers() const override { wait_for_programs(); }
  Status collect(std::vector<FinishedBlock>& out) override;
  void release(const FinishedBlock& block) override { pool_->release(block.index); }
  bool supply() override { return pool_->top_up(level_) >= level_ / 2; }
  std::uint32_t wanted() override {
    const std::uint32_t needed = pool_->wanted(level_);
    return needed - std::min(needed, pool_->reserve());
  }
  bool is_full() const override { return pool_->is_used_up(); }
  Result<Ticks> halt() override;
  Status drain(std::vector<FinishedBlock>& left) override;
  Result<std::uint32_t> number_user(std::uint32_t uid, std::uint32_t gid) override;
  Status forget_user(std::uint32_t number) override;
  void detach() override { take_off(); }
  std::vector<OpenLoss> open_losses() const override;
  std::vector<SkippedRuns> skipped_runs() override;
  bool has_fault_returns() const override { return options_.fault_return && !fault_return_failed_; }
  const std::vector<std::string>& unseen() const override { return unseen_; }
  const std::vector<std::string>& switched_off() const override { return switched_off_; }
  const std::vector<std::string>& lacking() const override { return lacking_; }
  std::vector<std::string> missed() const override;
  std::vector<StackRecord> stacks() const override;
  bool tells_group_moves() const override { return tells_group_moves_; }
  std::vector<CgroupRecord> group_moves() override { return group_moves_.take(); }

 private:
  Status check_size() const;
  Status load_and_attach();
  Result<ObjectPtr> open_object() const;
  Status choose_programs();
  Status choose_more(bpf_object* object, const EventGroups& groups);
  Status load_groups(bpf_object* object, const EventGroups& groups);
  Status load_more(const EventGroups& groups);
  bool is_other_form(const bpf_program* program, const KernelTypes& types) const;
  bool is_wanted(const Hook& hook, const EventGroups& groups) const;
  std::string why_unavailable(const Attachment& wanted, const KernelTypes& types) const;
  void choose(bpf_program* program, const KernelTypes& types, const EventGroups& groups);
  bool choose_probe(bpf_program* program, const KernelTypes& types);
  bool choose_run_by_us(bpf_program* program, const KernelTypes& types);
  Status fill_settings(bpf_object* object, const EventGroups& groups) const;
  Status size_maps();
  Status map_all();
  Status attach();
  Status attach(EventGroup group);
  void watch_futexes(const EventGroups& groups);
  Status tell_owners() const;
  bool is_recorded(const Hook& hook) const { return options_.groups.has(hook.group); }
  Status attach_tracepoint(const Attachment& attachment);
  Status attach_functions();
  void take_off();
  void take_off(EventGroup group);
  void attach_to_cpu(CpuId cpu);
  std::string why_refused(const Hook& hook, CpuId cpu, int error) const;
  void attach_software_event(const Attachment& attachment, CpuId cpu);
  static Status run_on(CpuId cpu, const bpf_program* program);
  Status run_start(CpuId cpu) const {
    return run_on(cpu, bpf_object__find_program_by_name(object_.get(), kStartProgram));
  }
  Status start_cpus(std::span<const CpuId> cpus);
  void read_buffers() const;
  void leave(CpuId cpu, std::vector<FinishedBlock>& out);
  void join(CpuId cpu);
  std::uint32_t ends_of(CpuId cpu) const;
  void follow_hotplug(std::vector<FinishedBlock>& out);
  bool knows_processes() const {
    return !options_.filter.processes.empty() || options_.filter.follow;
  }
  void settle();
  void read_skips(Ticks at);
  void read_skips(const bpf_object* object, Ticks at);

  SourceOptions options_;
  ObjectPtr object_;
  std::vector<ObjectPtr> more_;  // of groups that were switched on later; with the same maps
  EventGroups loaded_;           // their programs are, or cannot be
  Mapping shared_;
  Mapping rings_;
  Mapping argument_counts_;  // of each system call's arguments, how many are recorded: a byte each
  Mapping processes_;        // what is known of them, if a filter asks: a byte each
  std::optional<TraceBuffer> buffer_;
  std::vector<Attachment> attachments_;
  bool may_read_ = false;
  bool whole_packets_ = false;
  std::vector<CpuId> cpus_ = online_cpus();
  using Links = std::map<EventGroup, std::vector<LinkPtr>>;
  Links links_;
  std::map<CpuId, Links> cpu_links_;            // of software events, which go with their CPU
  std::map<CpuId, std::uint32_t> ends_before_;  // when programs began to write there, see ends_of
  const bpf_program* owner_program_ = nullptr;
  const bpf_program* read_program_ = nullptr;
  std::map<std::uint32_t, std::uint64_t> users_;  // by number, as the map of owners has them
  FunctionProbes probes_;
  ProbePrograms probe_programs_;
  bool probes_at_once_ = false;
  GroupMoves group_moves_;
  bool tells_group_moves_ = false;
  std::vector<std::string> unseen_;
  std::vector<std::string> switched_off_;
  std::vector<std::string> lacking_;
  std::unique_ptr<BlockPool> pool_;
  std::vector<FinishedBlock> open_at_halt_;
  std::vector<FinishedBlock> timed_;  // what was recorded to measure the cost
  std::future<void> quiet_;           // no program is at work any more
  std::uint32_t level_ = 0;           // blocks to keep ahead of each CPU
  bool fault_return_failed_ = false;
  Ticks started_ = 0;
  SkippedRunCounter skips_;
  Ticks skips_read_ = 0;
  bool halted_ = false;
  std::uint64_t hotplug_seen_ = 0;
  std::uint64_t followed_ = 0;
  std::vector<CpuId> online_ = cpus_;  // of which the programs write
};

Status EbpfSource::check_size() const {
  const auto cpus = static_cast<std::uint32_t>(cpus_.size());
  if (options_.blocks >= cpus * kLeastBlocksPerCpu) return {};
  return fail(
      usage_error(fmt::format("a buffer of {} MB is too small for {} CPUs",
                              options_.blocks / kBlocksPerMb, cpus))
          .with_hint(fmt::format("--buffer-mb {}", cpus * kLeastBlocksPerCpu / kBlocksPerMb + 1)));
}

Result<ObjectPtr> EbpfSource::open_object() const {
  const std::span<const std::byte> bytes = bpf_object_bytes();
  bpf_object_open_opts open_options{};
  open_options.sz = sizeof open_options;
  open_options.object_name = "kutrace";
  ObjectPtr object(bpf_object__open_mem(bytes.data(), bytes.size(), &open_options));
  if (object == nullptr) return fail(load_error(errno, libbpf_words()));
  return object;
}

bool EbpfSource::is_wanted(const Hook& hook, const EventGroups& groups) const {
  if (hook.group == EventGroup::kSamples) return options_.sample_hz != 0;
  if (hook.name.starts_with("fault_return") && !options_.fault_return) return false;
  return groups.has(hook.group);
}

// Empty if the kernel has what the hook needs.
std::string EbpfSource::why_unavailable(const Attachment& wanted, const KernelTypes& types) const {
  const std::string_view tracepoint = wanted.tracepoint();
  if (!tracepoint.empty() && !types.has_tracepoint(tracepoint))
    return "this kernel has no tracepoint " + std::string(tracepoint);
  const std::string_view name = wanted.hook->name;
  const bool is_of_groups = name.starts_with(kGroupPrograms);
  if (is_of_groups && !sees_all_cgroups())
    return "the machine's control groups are not known in a namespace of its own";
  const bool reads = is_of_groups || name == "task_rename" || name == "signal_deliver" ||
                     name == "fault_return_signal" || name == "netif_receive_skb" ||
                     name == "net_dev_start_xmit" || name == "ipi_entry" || name == "ipi_exit";
  if (reads && !may_read_) return "the kernel forbids reading its memory (lockdown)";
  return {};
}

// It is loaded if one of its hooks can be used.
void EbpfSource::choose(bpf_program* program, const KernelTypes& types, const EventGroups& groups) {
  bool is_used = false;
  for (const Hook& hook : all_hooks()) {
    if (hook.program() != name_of(program)) continue;
    const Attachment attachment{program, &hook};
    if (!is_wanted(hook, groups)) {
      if (!hook.shows.empty()) switched_off_.emplace_back(hook.shows);
      continue;
    }
    const std::string reason = why_unavailable(attachment, types);
    if (reason.empty()) {
      is_used = true;
      tells_group_moves_ = tells_group_moves_ || hook.name == kGroupMoves;
      attachments_.push_back(attachment);
    } else if (!hook.shows.empty()) {
      lacking_.push_back(std::string(hook.shows) + " (" + reason + ")");
      unseen_.push_back(lacking_.back());
    }
  }
  bpf_program__set_autoload(program, is_used);
}

// Probes' programs can be interrupted by other threads in every kernel, unless they hold the CPU.
// True if it is one of these.
bool EbpfSource::choose_probe(bpf_program* program, const KernelTypes& types) {
  if (std::ranges::find(kProbePrograms, name_of(program)) == std::end(kProbePrograms)) return false;
  const bool holds_cpu = may_call(types, "bpf_preempt_disable", 6, 10);
  const bool is_used =
      !options_.functions.empty() && is_held_form(bpf_program__name(program)) == holds_cpu;
  bpf_program__set_autoload(program, is_used);
  if (!is_used) return true;
  probes_at_once_ = can_probe_at_once(types);
  if (probes_at_once_) prepare_to_probe_at_once(program);
  (name_of(program) == kProbePrograms[0] ? probe_programs_.enter : probe_programs_.leave) = program;
  return true;
}

Status EbpfSource::attach_functions() {
  if (options_.functions.empty()) return {};
  KUTRACE_TRY(probes_.attach(probe_programs_, options_.functions, probes_at_once_));
  for (const std::string& refused : probes_.refused()) {
    lacking_.push_back(refused);
    unseen_.push_back(refused);
  }
  return {};
}

// Of programs that are made in several forms, another one is to be used.
bool EbpfSource::is_other_form(const bpf_program* program, const KernelTypes& types) const {
  const bool holds_cpu = must_hold_cpu(types);
  return (!is_perf_event(program) && is_held_form(bpf_program__name(program)) != holds_cpu) ||
         is_other_packet_program(name_of(program), whole_packets_) ||
         is_other_call_program(name_of(program), options_.arguments.is_set()) ||
         is_other_stack_program(name_of(program), options_.stacks) ||
         (name_of(program) == kBirthProgram && !knows_processes()) ||
         // Who reads through a daemon reads blocks alone.
         (name_of(program).starts_with(kGroupPrograms) &&
          (!options_.group_moves || options_.owners));
}

// Programs that are on no hook. True if it is one of these.
bool EbpfSource::choose_run_by_us(bpf_program* program, const KernelTypes& types) {
  const bool is_owner = name_of(program) == kOwnerProgram;
  if (!is_owner && name_of(program) != kReadProgram) return false;
  const bool is_used = is_held_form(bpf_program__name(program)) == must_hold_cpu(types) &&
                       (!is_owner || options_.owners);
  bpf_program__set_autoload(program, is_used);
  if (is_used) (is_owner ? owner_program_ : read_program_) = program;
  return true;
}

Status EbpfSource::choose_programs() {
  KUTRACE_ASSIGN(const KernelTypes types, KernelTypes::read());
  opening_.over("read the kernel's types");
  may_read_ = may_read_kernel_memory();
  whole_packets_ = can_read_whole_packets(types);
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_.get()) {
    if (name_of(program) == kStartProgram || choose_probe(program, types)) continue;
    if (choose_run_by_us(program, types)) continue;
    if (is_other_form(program, types))
      bpf_program__set_autoload(program, false);
    else
      choose(program, types, options_.groups);
  }
  if (!options_.groups.has(EventGroup::kLocks))
    switched_off_.emplace_back(find_hook(kFutexWaits)->shows);
  loaded_ = options_.groups;
  if (options_.counters != 0) {
    lacking_.push_back(no_counters("the ebpf source does not count them"));
    unseen_.push_back(lacking_.back());
  }
  if (std::string deaf = hear_marks(options_.groups, carriers_of(options_.groups)); !deaf.empty()) {
    lacking_.push_back(std::move(deaf));
    unseen_.push_back(lacking_.back());
  }
  std::ranges::move(never_seen(), std::back_inserter(unseen_));
  return {};
}

Status EbpfSource::fill_settings(bpf_object* object, const EventGroups& groups) const {
  kutrace_settings settings{};
  settings.merge = options_.merge;
  settings.may_read = may_read_;
  if (may_read_ && !whole_packets_ && groups.has(EventGroup::kNet)) {
    const std::vector<std::uint64_t> found = kernel_addresses({"page_offset_base", "vmemmap_base"});
    settings.direct_map = found[0];
    settings.page_map = found[1];
  }
  std::ranges::fill(settings.idle_hint, 255u);
  const std::vector<IdleState> states = read_idle_states();
  for (std::size_t i = 0; i < std::min<std::size_t>(states.size(), KUTRACE_IDLE_STATES); ++i)
    settings.idle_hint[i] = states[i].mwait_hint;
  std::ranges::copy(options_.packets.word_masks(), settings.packet_mask);
  settings.packet_sum = options_.packets.sum();
  settings.filter = options_.filter.settings();
  if (tells_group_moves_) {
    const CgroupHierarchies hierarchies = cgroup_hierarchies(files::read_text("/proc/self/cgroup"));
    settings.systemd_hierarchy = hierarchies.systemd;
    settings.cpu_hierarchy = hierarchies.cpu;
  }
  settings.owners = options_.owners;
  if (settings.owners != 0 && !may_read_)
    return fail(
        host_error("whose a thread is cannot be seen: the kernel forbids reading its memory "
                   "(lockdown)")
            .with_hint("record as root: sudo kutrace record"));
  if (settings.filter.cgroups != 0 && !may_read_)
    return fail(host_error("--cgroup: the kernel forbids reading its memory (lockdown)")
                    .with_hint("choose by --comm, --pid or --uid"));
  bpf_map* map = bpf_object__find_map_by_name(object, ".rodata.settings");
  if (map == nullptr || bpf_map__set_initial_value(map, &settings, sizeof settings) != 0)
    return fail(internal_error("the BPF object's settings have another size"));
  for (const char* draft : {"drafts", "late"})
    bpf_map__set_autocreate(bpf_object__find_map_by_name(object, draft),
                            options_.arguments.is_set());
  for (const char* stacks : {"stacks", "found_stacks"})
    bpf_map__set_autocreate(bpf_object__find_map_by_name(object, stacks), options_.stacks);
  for (const char* moves : {"group_moves", "group_drafts"})
    bpf_map__set_autocreate(bpf_object__find_map_by_name(object, moves), tells_group_moves_);
  const kutrace_arguments arguments = argument_settings(options_.arguments);
  map = bpf_object__find_map_by_name(object, ".rodata.arguments");
  if (map == nullptr || bpf_map__set_initial_value(map, &arguments, sizeof arguments) != 0)
    return fail(internal_error("the BPF object's table of arguments has another size"));
  return {};
}

// A byte a call, each changed at once.
Status EbpfSource::choose_arguments(const CallChoice& choice) {
  const kutrace_arguments arguments = argument_settings(choice);
  for (std::size_t i = 0; i < KUTRACE_CALLS; ++i)
    std::atomic_ref(argument_counts_.as<std::uint8_t>()[i]).store(arguments.calls[i].count);
  return {};
}

Status EbpfSource::size_maps() {
  const int possible = libbpf_num_possible_cpus();
  if (possible <= 0 || possible > static_cast<int>(KUTRACE_MAX_CPUS))
    return fail(host_error("this machine has more than 8192 CPUs, the most that can be recorded"));
  bpf_map__set_max_entries(bpf_object__find_map_by_name(object_.get(), "rings"),
                           static_cast<std::uint32_t>(possible));
  if (knows_processes())
    bpf_map__set_max_entries(bpf_object__find_map_by_name(object_.get(), "processes"),
                             KUTRACE_PROCESSES_MOST / KUTRACE_PROCESSES_PER_PAGE);
  return {};
}

Status EbpfSource::map_all() {
  const bpf_map* ring_map = bpf_object__find_map_by_name(object_.get(), "rings");
  KUTRACE_ASSIGN(rings_, Mapping::of(bpf_map__fd(ring_map),
                                     sizeof(kutrace_rings) * bpf_map__max_entries(ring_map)));
  const bpf_map* shared_map = bpf_object__find_map_by_name(object_.get(), ".bss");
  if (shared_map == nullptr || bpf_map__value_size(shared_map) != sizeof(kutrace_shared))
    return fail(internal_error("the BPF object's cursors have another size"));
  KUTRACE_ASSIGN(shared_, Mapping::of(bpf_map__fd(shared_map), sizeof(kutrace_shared)));
  pool_ = std::make_unique<BlockPool>(shared_.as<kutrace_shared>(), rings_.as<kutrace_rings>(),
                                      buffer_->blocks(), options_.blocks, cpus_);
  const bpf_map* count_map = bpf_object__find_map_by_name(object_.get(), ".data.argument_counts");
  if (count_map == nullptr || bpf_map__value_size(count_map) != KUTRACE_CALLS)
    return fail(internal_error("the BPF object's counts of arguments have another size"));
  KUTRACE_ASSIGN(argument_counts_, Mapping::of(bpf_map__fd(count_map), KUTRACE_CALLS));
  KUTRACE_TRY(choose_arguments(options_.arguments));
  if (tells_group_moves_)
    KUTRACE_TRY(
        group_moves_.open(bpf_map__fd(bpf_object__find_map_by_name(object_.get(), "group_moves"))));
  if (!knows_processes()) return {};
  const bpf_map* process_map = bpf_object__find_map_by_name(object_.get(), "processes");
  KUTRACE_ASSIGN(processes_, Mapping::of(bpf_map__fd(process_map), KUTRACE_PROCESSES_MOST));
  return tell_processes(options_.filter.processes, KUTRACE_PROCESS_NAMED);
}

// One that begins meanwhile is judged by the programs.
Status EbpfSource::tell_processes(std::span<const std::uint32_t> processes, unsigned what) {
  if (processes_.as<std::uint8_t>() == nullptr) return {};
  for (const std::uint32_t process : processes) {
    if (process >= KUTRACE_PROCESSES_MOST) continue;
    const std::atomic_ref known(processes_.as<std::uint8_t>()[process]);
    if (what == 0)
      known.store(0);
    else
      known.fetch_or(static_cast<std::uint8_t>(what));
  }
  return {};
}

Status EbpfSource::attach_tracepoint(const Attachment& attachment) {
  const std::string name(attachment.hook->name);
  bpf_link* link = attachment.hook->shared.empty()
                       ? bpf_program__attach(attachment.program)
                       : bpf_program__attach_raw_tracepoint(attachment.program, name.c_str());
  if (link == nullptr) return fail(kernel_error("cannot attach to " + name, errno));
  links_[attachment.hook->group].emplace_back(link);
  return {};
}

std::string EbpfSource::why_refused(const Hook& hook, CpuId cpu, int error) const {
  constexpr const char* kRate = "kernel.perf_event_max_sample_rate";
  const std::string text = files::read_line("/proc/sys/kernel/perf_event_max_sample_rate");
  const auto most = parse_number<std::uint32_t>(text);
  if (hook.group == EventGroup::kSamples && most && options_.sample_hz > *most)
    return fmt::format("{} is {}: 'sysctl {}={}' permits so many", kRate, *most, kRate,
                       options_.sample_hz);
  return fmt::format("CPU {}: {}", cpu, errno_text(error));
}

// What the kernel refuses is not seen, and said so.
void EbpfSource::attach_software_event(const Attachment& attachment, CpuId cpu) {
  const Hook& hook = *attachment.hook;
  const bool is_sample = hook.group == EventGroup::kSamples;
  const int fd = open_software_event(cpu, software_event_of(hook),
                                     is_sample ? options_.sample_hz : 1, is_sample);
  bpf_link* link = fd < 0 ? nullptr : bpf_program__attach_perf_event(attachment.program, fd);
  if (link != nullptr) {
    cpu_links_[cpu][hook.group].emplace_back(link);
    return;
  }
  const int error = errno;
  if (fd >= 0) close(fd);
  fault_return_failed_ = fault_return_failed_ || hook.name.starts_with("fault_return");
  std::string line = fmt::format("{} ({})", hook.shows, why_refused(hook, cpu, error));
  if (std::ranges::find(unseen_, line) != unseen_.end()) return;
  lacking_.push_back(line);
  unseen_.push_back(std::move(line));
}

Status EbpfSource::attach() {
  for (const Attachment& attachment : attachments_)
    if (!is_perf_event(attachment.program) && is_recorded(*attachment.hook))
      KUTRACE_TRY(attach_tracepoint(attachment));
  for (const CpuId cpu : cpus_) attach_to_cpu(cpu);
  return attach_functions();
}

// Software events belong to one CPU.
void EbpfSource::attach_to_cpu(CpuId cpu) {
  for (const Attachment& attachment : attachments_)
    if (is_perf_event(attachment.program) && is_recorded(*attachment.hook))
      attach_software_event(attachment, cpu);
}

void EbpfSource::take_off() {
  links_.clear();
  cpu_links_.clear();
  probes_.clear();
}

void EbpfSource::take_off(EventGroup group) {
  links_.erase(group);
  for (auto& [cpu, links] : cpu_links_) links.erase(group);
}

Status EbpfSource::attach(EventGroup group) {
  for (const Attachment& attachment : attachments_) {
    if (attachment.hook->group != group) continue;
    if (!is_perf_event(attachment.program)) {
      KUTRACE_TRY(attach_tracepoint(attachment));
    } else {
      for (const CpuId cpu : online_) attach_software_event(attachment, cpu);
    }
  }
  return {};
}

// They are no program of their own: bpf/futex_wait.h says why.
void EbpfSource::watch_futexes(const EventGroups& groups) {
  std::atomic_ref(shared_.as<kutrace_shared>()->futex_waits)
      .store(groups.has(EventGroup::kLocks) ? 1 : 0);
}

Result<std::uint32_t> EbpfSource::number_user(std::uint32_t uid, std::uint32_t gid) {
  const std::uint64_t user = std::uint64_t{gid} << KUTRACE_OWNER_GROUP_SHIFT | uid;
  std::uint32_t number = 1;  // the first free one
  for (const auto& [used, of] : users_) {
    if (of == user) return used;
    if (used == number) ++number;
  }
  const int map = bpf_map__fd(bpf_object__find_map_by_name(object_.get(), "owners"));
  if (number > KUTRACE_OWNERS_MOST || bpf_map_update_elem(map, &user, &number, BPF_NOEXIST) != 0)
    return fail(host_error("too many users read this recording").with_hint("try again later"));
  users_[number] = user;
  KUTRACE_TRY(tell_owners());
  return number;
}

// Once each CPU has said whose its thread is now, no program is at work that found the number.
Status EbpfSource::forget_user(std::uint32_t number) {
  const auto user = users_.find(number);
  if (user == users_.end())
    return fail(internal_error("no user of this recording has this number"));
  const int map = bpf_map__fd(bpf_object__find_map_by_name(object_.get(), "owners"));
  if (bpf_map_delete_elem(map, &user->second) != 0)
    return fail(host_error("cannot forget a user: " + errno_text(errno)));
  KUTRACE_TRY(tell_owners());
  users_.erase(user);
  return {};
}

// A CPU that has gone meanwhile says it when it comes back.
Status EbpfSource::tell_owners() const {
  for (const CpuId cpu : online_) {
    const Status done = run_on(cpu, owner_program_);
    if (done) continue;
    const std::vector<CpuId> online = online_cpus();
    if (std::ranges::find(online, cpu) != online.end()) return done;
  }
  return {};
}

Status EbpfSource::run_on(CpuId cpu, const bpf_program* program) {
  const std::uint64_t unused = 0;
  bpf_test_run_opts run{};
  run.sz = sizeof run;
  run.ctx_in = &unused;
  run.ctx_size_in = sizeof unused;
  run.flags = BPF_F_TEST_RUN_ON_CPU;
  run.cpu = cpu;
  if (bpf_prog_test_run_opts(bpf_program__fd(program), &run) != 0)
    return fail(host_error("cannot start recording: " + errno_text(errno)).with_cpu(cpu));
  return {};
}

// The questions are asked where something fails, as they take longer than what they are about is
// worth. Their answers say what is to be done; what the kernel says of our programs does not.
Status EbpfSource::open() {
  KUTRACE_TRY(check_size());
  KUTRACE_TRY(check_arguments_known(options_.arguments));
  allow_many_files();
  Status done = load_and_attach();
  if (done) return done;
  buffer_.reset();  // they need files, too
  take_off();
  object_.reset();
  KUTRACE_TRY(check_ebpf_usable());
  return done;
}

Status EbpfSource::load_and_attach() {
  opening_.anew();
  buffer_.emplace(options_.blocks);
  keep_libbpf_words();
  KUTRACE_ASSIGN(object_, open_object());
  KUTRACE_TRY(choose_programs());
  KUTRACE_TRY(fill_settings(object_.get(), options_.groups));
  KUTRACE_TRY(size_maps());
  opening_.over("choose the programs");
  KUTRACE_TRY(buffer_->wait());
  bpf_map* blocks = bpf_object__find_map_by_name(object_.get(), "blocks");
  if (bpf_map__reuse_fd(blocks, buffer_->map()) != 0)
    return fail(load_error(errno, libbpf_words()));
  opening_.over("wait for the buffer");
  if (const int result = load_object(object_.get()); result != 0)
    return fail(load_error(-result, libbpf_words()));
  opening_.over("load the programs");
  KUTRACE_TRY(map_all());
  const std::uint32_t share = options_.blocks / static_cast<std::uint32_t>(cpus_.size());
  const bool streams = options_.mode == RecordMode::kStream;
  level_ = std::clamp(streams ? share / 2 : share / 8, kLeastBlocksPerCpu / 2, kMostBlocksAhead);
  if (options_.owners) {  // nobody has asked for more so far
    options_.groups = EventGroups();
    options_.groups.set(EventGroup::kSched, true);
  }
  KUTRACE_TRY(attach());
  watch_futexes(options_.groups);
  ask_for_names();  // and for buffers of marks: from here on it can be told of them
  opening_.over("attach the hooks");
  return {};
}

Status EbpfSource::start_cpus(std::span<const CpuId> cpus) {
  supply();
  for (const CpuId cpu : cpus) KUTRACE_TRY(run_start(cpu));
  return {};
}

Status EbpfSource::start() {
  settle();
  started_ = now();
  std::atomic_ref(shared_.as<kutrace_shared>()->begin).store(started_);
  read_skips(started_);
  KUTRACE_TRY(start_cpus(cpus_));
  ask_for_names();
  return {};
}

// ---- groups that are switched ------------------------------------------------------------------

// Of a second object, the programs of these groups only.
Status EbpfSource::choose_more(bpf_object* object, const EventGroups& groups) {
  KUTRACE_ASSIGN(const KernelTypes types, KernelTypes::read());
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    bpf_program__set_autoload(program, false);
    const bool is_of_group = std::ranges::any_of(all_hooks(), [&](const Hook& hook) {
      return hook.program() == name_of(program) && groups.has_bit(hook.group);
    });
    if (is_of_group && !is_other_form(program, types)) choose(program, types, groups);
  }
  return {};
}

// They write into the same blocks: all maps but those of constants are the first object's.
Status EbpfSource::load_groups(bpf_object* object, const EventGroups& groups) {
  KUTRACE_TRY(choose_more(object, groups));
  KUTRACE_TRY(fill_settings(object, groups));
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object) {
    const std::string name = bpf_map__name(map);
    const bpf_map* const shared = bpf_object__find_map_by_name(object_.get(), name.c_str());
    if (name.starts_with(".rodata") || bpf_map__fd(shared) < 0) continue;
    if (bpf_map__reuse_fd(map, bpf_map__fd(shared)) != 0)
      return fail(load_error(errno, libbpf_words()));
  }
  if (const int result = load_object(object); result != 0)
    return fail(load_error(-result, libbpf_words()));
  return {};
}

Status EbpfSource::load_more(const EventGroups& groups) {
  const EventGroups missing = groups.without(loaded_);
  if (missing.empty()) return {};
  const std::size_t known = attachments_.size();
  KUTRACE_ASSIGN(ObjectPtr object, open_object());
  Status loaded = load_groups(object.get(), missing);
  if (!loaded) {
    attachments_.resize(known, {});  // of an object that goes
    return loaded;
  }
  loaded_ = loaded_.with(missing);
  more_.push_back(std::move(object));
  return {};
}

// The time is taken where the hooks of both the old groups and the new ones are on.
Result<GroupSwitch> EbpfSource::switch_groups(const EventGroups& groups) {
  const EventGroups on = groups.without(options_.groups);
  const EventGroups off = options_.groups.without(groups);
  const std::size_t known = lacking_.size();
  KUTRACE_TRY(load_more(on));
  for (const EventGroup group : on.each()) {
    Status attached = attach(group);
    if (attached) continue;
    for (const EventGroup undone : on.each()) take_off(undone);
    return fail(std::move(attached).error());
  }
  watch_futexes(on.with(options_.groups));
  GroupSwitch done{.at = now(), .lacking = {}};
  const EventGroups before = std::exchange(options_.groups, groups);
  watch_futexes(groups);
  for (const EventGroup group : off.each()) take_off(group);
  done.lacking.assign(lacking_.begin() + static_cast<std::ptrdiff_t>(known), lacking_.end());
  if (std::string deaf = hear_marks_after(before, groups, carriers_of(groups)); !deaf.empty())
    done.lacking.push_back(std::move(deaf));
  return done;
}

// ---- CPUs that come and go ---------------------------------------------------------------------

// How often it has gone.
std::uint32_t EbpfSource::ends_of(CpuId cpu) const {
  return std::atomic_ref(shared_.as<kutrace_shared>()->cpu_ends[cpu]).load();
}

void EbpfSource::leave(CpuId cpu, std::vector<FinishedBlock>& out) {
  std::erase(online_, cpu);
  cpu_links_.erase(cpu);
  if (const auto block = pool_->stop_cpu(cpu)) {
    wait_for_programs();  // it may be back, and write
    out.push_back(*block);
  }
  pool_->cpu(cpu).offline_begin = pool_->cpu(cpu).last;
}

// One that goes takes its software events with it. One that is gone again is looked at once more.
void EbpfSource::join(CpuId cpu) {
  if (std::ranges::find(cpus_, cpu) == cpus_.end()) {
    cpus_.push_back(cpu);
    pool_->add_cpu(cpu);
    pool_->cpu(cpu).offline_begin = started_;
  }
  ends_before_[cpu] = ends_of(cpu);
  if (!start_cpus({&cpu, 1})) {
    followed_ = 0;
    return;
  }
  online_.push_back(cpu);
  attach_to_cpu(cpu);
}

// Acts when the steps of CPUs that come or go have come to rest. One that went and came back since
// the last look has no software events any more: it has gone, and comes.
void EbpfSource::follow_hotplug(std::vector<FinishedBlock>& out) {
  const std::uint64_t steps =
      std::atomic_ref(shared_.as<kutrace_shared>()->hotplug_steps).load(std::memory_order_acquire);
  if (steps == followed_ || std::exchange(hotplug_seen_, steps) != steps) return;
  followed_ = steps;
  const std::vector<CpuId> now_online = online_cpus();
  for (const CpuId cpu : std::vector(online_))
    if (!std::ranges::binary_search(now_online, cpu) || ends_of(cpu) != ends_before_[cpu])
      leave(cpu, out);
  for (const CpuId cpu : now_online)
    if (std::ranges::find(online_, cpu) == online_.end()) join(cpu);
}

Status EbpfSource::collect(std::vector<FinishedBlock>& out) {
  keep_names_coming();
  follow_hotplug(out);
  if (const Ticks at = now(); at - skips_read_ > kTicksBetweenSkipReadings) read_skips(at);
  pool_->collect(out);
  return {};
}

// The wait for the programs that write is left to a thread: there is other work until the start.
Result<CallTime> EbpfSource::time_recorded_call() {
  pool_->top_up(kBlocksToTime);
  KUTRACE_TRY(run_start(static_cast<CpuId>(sched_getcpu())));
  const CallTime time = time_one_call();
  for (const CpuId cpu : cpus_)
    if (const auto block = pool_->stop_cpu(cpu)) timed_.push_back(*block);
  quiet_ = std::async(std::launch::async, wait_for_programs);
  return time;
}

// Forgets what was recorded to measure the cost.
void EbpfSource::settle() {
  if (!quiet_.valid()) return;
  quiet_.get();
  for (const FinishedBlock& block : timed_) pool_->release(block.index);
  timed_.clear();
  pool_->reset();
}

// Of what runs on each CPU. Where it fails the CPU has gone, and nothing runs there.
void EbpfSource::read_buffers() const {
  if (std::atomic_ref(shared_.as<kutrace_shared>()->buffers).load() == 0) return;
  for (const CpuId cpu : online_)
    if (!run_on(cpu, read_program_)) continue;
}

Result<Ticks> EbpfSource::halt() {
  const Ticks stop = now();
  read_buffers();
  for (const CpuId cpu : cpus_)
    if (const auto block = pool_->stop_cpu(cpu)) open_at_halt_.push_back(*block);
  read_skips(stop);
  halted_ = true;
  return stop;
}

Status EbpfSource::drain(std::vector<FinishedBlock>& left) {
  wait_for_programs();
  pool_->collect(left);
  for (const FinishedBlock& block : pool_->take_unsettled()) left.push_back(block);
  left.insert(left.end(), open_at_halt_.begin(), open_at_halt_.end());
  return {};
}

std::vector<OpenLoss> EbpfSource::open_losses() const {
  std::vector<OpenLoss> losses;
  for (const CpuId cpu : cpus_) {
    const kutrace_cpu& st = pool_->cpu(cpu);
    if (st.lost != 0) losses.push_back({cpu, KUTRACE_LOSS_BUFFER_FULL, st.lost_begin, st.lost});
    if (st.offline_begin != 0)
      losses.push_back({cpu, KUTRACE_LOSS_OFFLINE, st.offline_begin, KUTRACE_LOSS_UNKNOWN_COUNT});
  }
  return losses;
}

std::vector<std::string> EbpfSource::missed() const {
  const kutrace_misses& misses = shared_.as<kutrace_shared>()->misses;
  return misses_text({misses.packets_unhashed, misses.inserts_refused, misses.inserts_unreadable,
                      misses.foreign_frequency, misses.stacks_lost, misses.marks_lost,
                      misses.group_moves_lost});
}

std::vector<StackRecord> EbpfSource::stacks() const {
  std::vector<StackRecord> all;
  if (!options_.stacks) return all;
  const int map = bpf_map__fd(bpf_object__find_map_by_name(object_.get(), "stacks"));
  std::uint64_t key = 0;
  for (bool any = bpf_map_get_next_key(map, nullptr, &key) == 0; any;
       any = bpf_map_get_next_key(map, &key, &key) == 0) {
    kutrace_stack stack{};
    if (bpf_map_lookup_elem(map, &key, &stack) != 0 || stack.count == 0) continue;
    const std::size_t count = std::min<std::size_t>(stack.count, KUTRACE_STACK_FRAMES);
    all.push_back({stack.number, 0, {stack.frames, stack.frames + count}});
  }
  std::ranges::sort(all, {}, &StackRecord::number);
  return all;
}

// The kernel runs a program once at a time on a CPU: one that interrupts its own kind is skipped.
void EbpfSource::read_skips(Ticks at) {
  skips_read_ = at;
  read_skips(object_.get(), at);
  for (const ObjectPtr& object : more_) read_skips(object.get(), at);
}

void EbpfSource::read_skips(const bpf_object* object, Ticks at) {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    bpf_prog_info info{};
    std::uint32_t bytes = sizeof info;
    if (name_of(program) == kStartProgram || name_of(program) == kOwnerProgram ||
        name_of(program) == kReadProgram || bpf_program__fd(program) < 0)
      continue;
    if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes) == 0)
      skips_.read(name_of(program), info.recursion_misses, at);
  }
}

std::vector<SkippedRuns> EbpfSource::skipped_runs() {
  if (!halted_) read_skips(now());
  return skips_.all();
}

}  // namespace

Result<std::unique_ptr<Source>> open_ebpf_source(const SourceOptions& options_) {
  auto source = std::make_unique<EbpfSource>(options_);
  KUTRACE_TRY(source->open());
  return source;
}

}  // namespace kutrace::record
