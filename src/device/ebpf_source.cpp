// SPDX-License-Identifier: BSD-3-Clause
// Loading, attaching and starting the BPF programs.
#include "device/ebpf_source.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/membarrier.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <span>
#include <utility>

#include "device/capability.h"
#include "device/cpu_list.h"
#include "device/hooks.h"
#include "device/idle_states.h"
#include "device/object.h"

namespace kutrace {

namespace {

constexpr std::string_view kTracepointSection = "tp_btf/";
constexpr std::string_view kPerfSection = "perf_event";
// What no hook of a stock kernel shows (doc/sources.md).
constexpr std::array<std::string_view, 5> kNeverSeen = {
    "time taken by a hypervisor or by firmware",
    "kernel work before a system call's entry and after its return (seccomp, signals, task work)",
    "the scheduler's own time, which counts as the thread it leaves",
    "exceptions that raise no signal, and how long the others last",
    "interrupts without a tracepoint, and the begin of non-maskable ones",
};

// libbpf explains a failure over several calls; the last lines are kept for the error.
std::string& libbpf_words() {
  static std::string words;
  return words;
}

__attribute__((format(printf, 2, 0))) int keep_words(enum libbpf_print_level level,
                                                     const char* format, va_list arguments) {
  if (level != LIBBPF_WARN) return 0;
  char line[512];
  const int length = std::vsnprintf(line, sizeof line, format, arguments);
  if (length > 0 && libbpf_words().size() < 4096) libbpf_words() += line;
  return length;
}

template <typename T, void (*Destroy)(T*)>
struct Destroyer {
  void operator()(T* object) const { Destroy(object); }
};

void destroy_link(bpf_link* link) { bpf_link__destroy(link); }

using ObjectPtr = std::unique_ptr<bpf_object, Destroyer<bpf_object, bpf_object__close>>;
using BtfPtr = std::unique_ptr<btf, Destroyer<btf, btf__free>>;
using LinkPtr = std::unique_ptr<bpf_link, Destroyer<bpf_link, destroy_link>>;

// A map's memory, shared with the programs.
class Mapping {
 public:
  Mapping() = default;
  Mapping(void* address, std::size_t bytes) : address_(address), bytes_(bytes) {}
  Mapping(Mapping&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), bytes_(other.bytes_) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping() {
    if (address_ != nullptr) munmap(address_, bytes_);
  }
  template <typename T>
  T* as() const {
    return static_cast<T*>(address_);
  }

 private:
  void* address_ = nullptr;
  std::size_t bytes_ = 0;
};

Error load_error(int error) {
  Error failure = host_error("the recorder's programs do not load: " + errno_text(error));
  if (error == ENOMEM)
    return std::move(failure).with_hint("not enough memory for the buffer; lower --buffer-mb");
  return std::move(failure).because(libbpf_words()).with_hint("kutrace doctor");
}

Result<Mapping> map_memory(const bpf_map* map, std::size_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
  if (address == MAP_FAILED)
    return fail(host_error("cannot map the trace buffer: " + errno_text(errno)));
  return Mapping(address, bytes);
}

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

// A packet is hashed by one of two programs; the better one asks the kernel for the bytes.
bool is_other_packet_program(std::string_view name, bool reads_whole_packets) {
  const bool whole = name.starts_with("whole_");
  return (whole || name == "netif_receive_skb" || name == "net_dev_start_xmit") &&
         whole != reads_whole_packets;
}

// Since 6.12 programs of this kind may call it; the kernel's types do not tell.
bool can_read_whole_packets(const btf* types) {
  utsname machine{};
  unsigned major = 0;
  unsigned minor = 0;
  uname(&machine);
  return std::sscanf(machine.release, "%u.%u", &major, &minor) == 2 &&
         std::pair(major, minor) >= std::pair(6u, 12u) &&
         btf__find_by_name_kind(types, "bpf_dynptr_from_skb", BTF_KIND_FUNC) > 0;
}

}  // namespace

struct EbpfSource::State {
  EbpfOptions options;
  ObjectPtr object;
  Mapping shared;
  Mapping rings;
  Mapping blocks;
  std::vector<CpuId> cpus = online_cpus();
  std::vector<LinkPtr> links;
  std::vector<std::string> unseen;
  std::vector<std::string> lacking;
  std::unique_ptr<BlockPool> pool;

  Status open_object();
  Status choose_programs();
  bool is_wanted(const Hook& hook) const;
  std::string why_unavailable(const bpf_program* program, const btf* types, bool may_read) const;
  Status fill_settings();
  Status size_maps();
  Status map_all();
  Status attach();
  Status attach_tracepoint(bpf_program* program, const Hook& hook);
  void attach_software_event(bpf_program* program, const Hook& hook);
  Status run_start(CpuId cpu, bool by_interrupt);
};

Status EbpfSource::State::open_object() {
  const std::span<const std::byte> bytes = bpf_object_bytes();
  bpf_object_open_opts open_options{};
  open_options.sz = sizeof open_options;
  open_options.object_name = "kutrace";
  object.reset(bpf_object__open_mem(bytes.data(), bytes.size(), &open_options));
  if (object == nullptr) return fail(load_error(errno));
  return {};
}

bool EbpfSource::State::is_wanted(const Hook& hook) const {
  if (hook.program == "sample") return options.sample_hz != 0;
  if (hook.program.starts_with("fault_return"))
    return options.fault_return && options.groups.has(EventGroup::kFaults);
  return options.groups.has(hook.group);
}

// Empty if the program can be used here.
std::string EbpfSource::State::why_unavailable(const bpf_program* program, const btf* types,
                                               bool may_read) const {
  const std::string_view section = bpf_program__section_name(program);
  const std::string_view name = bpf_program__name(program);
  if (section.starts_with(kTracepointSection)) {
    const std::string type = "btf_trace_" + std::string(section.substr(kTracepointSection.size()));
    if (btf__find_by_name_kind(types, type.c_str(), BTF_KIND_TYPEDEF) < 0)
      return "this kernel has no tracepoint " + type.substr(10);
  }
  const bool reads = name == "task_rename" || name == "signal_deliver" ||
                     name == "netif_receive_skb" || name == "net_dev_start_xmit";
  if (reads && !may_read) return "the kernel forbids reading its memory (lockdown)";
  return {};
}

Status EbpfSource::State::choose_programs() {
  const BtfPtr types(btf__load_vmlinux_btf());
  if (types == nullptr)
    return fail(host_error("cannot read the kernel's types: " + errno_text(errno)));
  const bool may_read = may_read_kernel_memory();
  const bool whole_packets = can_read_whole_packets(types.get());
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object.get()) {
    const Hook* hook = find_hook(bpf_program__name(program));
    if (hook == nullptr) continue;  // the program that starts a CPU
    if (is_other_packet_program(hook->program, whole_packets)) {
      bpf_program__set_autoload(program, false);
      continue;
    }
    const bool wanted = is_wanted(*hook);
    const std::string reason =
        wanted ? why_unavailable(program, types.get(), may_read) : std::string("switched off");
    bpf_program__set_autoload(program, reason.empty());
    if (reason.empty() || hook->shows.empty()) continue;
    unseen.push_back(std::string(hook->shows) + " (" + reason + ")");
    if (wanted) lacking.push_back(unseen.back());
  }
  unseen.insert(unseen.end(), kNeverSeen.begin(), kNeverSeen.end());
  return {};
}

Status EbpfSource::State::fill_settings() {
  kutrace_settings settings{};
  settings.merge = options.merge;
  std::ranges::fill(settings.idle_hint, 255u);
  const std::vector<IdleState> states = read_idle_states();
  for (std::size_t i = 0; i < std::min<std::size_t>(states.size(), KUTRACE_IDLE_STATES); ++i)
    settings.idle_hint[i] = states[i].mwait_hint;
  bpf_map* map = bpf_object__find_map_by_name(object.get(), ".rodata.settings");
  if (map == nullptr || bpf_map__set_initial_value(map, &settings, sizeof settings) != 0)
    return fail(internal_error("the BPF object's settings have another size"));
  return {};
}

Status EbpfSource::State::size_maps() {
  const int possible = libbpf_num_possible_cpus();
  if (possible <= 0 || possible > static_cast<int>(KUTRACE_MAX_CPUS))
    return fail(host_error("this machine has more CPUs than the 8192 that can be recorded"));
  bpf_map__set_max_entries(bpf_object__find_map_by_name(object.get(), "blocks"), options.blocks);
  bpf_map__set_max_entries(bpf_object__find_map_by_name(object.get(), "rings"),
                           static_cast<std::uint32_t>(possible));
  return {};
}

Status EbpfSource::State::map_all() {
  const bpf_map* ring_map = bpf_object__find_map_by_name(object.get(), "rings");
  const bpf_map* block_map = bpf_object__find_map_by_name(object.get(), "blocks");
  KUTRACE_ASSIGN(rings,
                 map_memory(ring_map, sizeof(kutrace_rings) * bpf_map__max_entries(ring_map)));
  KUTRACE_ASSIGN(blocks,
                 map_memory(block_map, sizeof(kutrace_block) * std::size_t{options.blocks}));
  const bpf_map* shared_map = bpf_object__find_map_by_name(object.get(), ".bss");
  if (shared_map == nullptr || bpf_map__value_size(shared_map) != sizeof(kutrace_shared))
    return fail(internal_error("the BPF object's cursors have another size"));
  KUTRACE_ASSIGN(shared, map_memory(shared_map, sizeof(kutrace_shared)));
  pool = std::make_unique<BlockPool>(shared.as<kutrace_shared>(), rings.as<kutrace_rings>(),
                                     blocks.as<kutrace_block>(), options.blocks, cpus);
  return {};
}

Status EbpfSource::State::attach_tracepoint(bpf_program* program, const Hook& hook) {
  bpf_link* link = bpf_program__attach(program);
  if (link == nullptr)
    return fail(
        host_error("cannot attach to " + std::string(hook.program) + ": " + errno_text(errno)));
  links.emplace_back(link);
  return {};
}

// One event per CPU. What the kernel refuses is not seen, and said so.
void EbpfSource::State::attach_software_event(bpf_program* program, const Hook& hook) {
  std::uint64_t config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
  if (hook.program == "fault_return_major") config = PERF_COUNT_SW_PAGE_FAULTS_MAJ;
  if (hook.program == "sample") config = PERF_COUNT_SW_CPU_CLOCK;
  const bool is_sample = hook.program == "sample";
  for (const CpuId cpu : cpus) {
    const int fd = open_software_event(cpu, config, is_sample ? options.sample_hz : 1, is_sample);
    bpf_link* link = fd < 0 ? nullptr : bpf_program__attach_perf_event(program, fd);
    if (link == nullptr) {
      const int error = errno;
      if (fd >= 0) close(fd);
      unseen.push_back(std::string(hook.shows) + " (CPU " + std::to_string(cpu) + ": " +
                       errno_text(error) + ")");
      continue;
    }
    links.emplace_back(link);
  }
}

Status EbpfSource::State::attach() {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object.get()) {
    const Hook* hook = find_hook(bpf_program__name(program));
    if (hook == nullptr || !bpf_program__autoload(program)) continue;
    if (bpf_program__section_name(program) == kPerfSection)
      attach_software_event(program, *hook);
    else
      KUTRACE_TRY(attach_tracepoint(program, *hook));
  }
  return {};
}

Status EbpfSource::State::run_start(CpuId cpu, bool by_interrupt) {
  const bpf_program* program = bpf_object__find_program_by_name(object.get(), "start_cpu");
  kutrace_start_args arguments{.by_interrupt = by_interrupt};
  bpf_test_run_opts run{};
  run.sz = sizeof run;
  run.ctx_in = &arguments;
  run.ctx_size_in = sizeof arguments;
  run.flags = BPF_F_TEST_RUN_ON_CPU;
  run.cpu = cpu;
  if (bpf_prog_test_run_opts(bpf_program__fd(program), &run) != 0)
    return fail(host_error("cannot start recording: " + errno_text(errno)).with_cpu(cpu));
  return {};
}

EbpfSource::EbpfSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
EbpfSource::EbpfSource(EbpfSource&&) noexcept = default;
EbpfSource& EbpfSource::operator=(EbpfSource&&) noexcept = default;
EbpfSource::~EbpfSource() = default;

Result<EbpfSource> EbpfSource::open(const EbpfOptions& options) {
  KUTRACE_TRY(check_ebpf_usable());
  libbpf_words().clear();
  libbpf_set_print(keep_words);
  auto state = std::make_unique<State>();
  state->options = options;
  KUTRACE_TRY(state->open_object());
  KUTRACE_TRY(state->choose_programs());
  KUTRACE_TRY(state->fill_settings());
  KUTRACE_TRY(state->size_maps());
  if (const int result = bpf_object__load(state->object.get()); result != 0)
    return fail(load_error(-result));
  KUTRACE_TRY(state->map_all());
  KUTRACE_TRY(state->attach());
  return EbpfSource(std::move(state));
}

BlockPool& EbpfSource::pool() const { return *state_->pool; }

Status EbpfSource::start() {
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  const int here = sched_getcpu();
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<unsigned>(here), &only);
  sched_setaffinity(0, sizeof only, &only);  // so that only the other CPUs are interrupted
  Status status;
  for (const CpuId cpu : state_->cpus) {
    status = state_->run_start(cpu, static_cast<int>(cpu) != here);
    if (!status) break;
  }
  sched_setaffinity(0, sizeof before, &before);
  return status;
}

Status EbpfSource::start_here() {
  return state_->run_start(static_cast<CpuId>(sched_getcpu()), false);
}

// A grace period of the kernel ends when every program that ran at its begin has ended.
void EbpfSource::wait_for_programs() const {
  constexpr unsigned kLongEnough_us = 20'000;  // where the kernel refuses to wait for one
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) != 0) usleep(kLongEnough_us);
}

void EbpfSource::detach() {
  state_->links.clear();
  wait_for_programs();
}

const std::vector<std::string>& EbpfSource::unseen() const { return state_->unseen; }
const std::vector<std::string>& EbpfSource::lacking() const { return state_->lacking; }

std::vector<std::string> EbpfSource::missed_by_programs() const {
  const kutrace_misses& misses = state_->shared.as<kutrace_shared>()->misses;
  std::vector<std::string> lines;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count != 0) lines.push_back(std::to_string(count) + " " + what);
  };
  add(misses.packets_unhashed, "packets whose payload could not be read in one piece");
  add(misses.inserts_refused, "user entries of a kind that programs may not insert");
  add(misses.inserts_unreadable, "user names whose memory was not present");
  add(misses.foreign_frequency, "frequency changes reported from another CPU");
  return lines;
}

std::uint64_t EbpfSource::skipped_runs() const {
  std::uint64_t skipped = 0;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, state_->object.get()) {
    bpf_prog_info info{};
    std::uint32_t bytes = sizeof info;
    if (bpf_program__fd(program) < 0) continue;
    if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes) == 0)
      skipped += info.recursion_misses;
  }
  return skipped;
}

}  // namespace kutrace
