// SPDX-License-Identifier: BSD-3-Clause
// System calls on /dev/kutrace, and what their errors mean (doc/module.md).
#include "record/module/module_device.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <new>
#include <utility>

namespace kutrace::record {

namespace {

struct Refusal {
  int error;
  const char* sentence;
  const char* hint;
};

constexpr auto kRefusals = std::to_array<Refusal>({
    {EPERM, "no permission: CAP_PERFMON or CAP_SYS_ADMIN is missing",
     "run it with sudo, or load the module with gid=GROUP"},
    {EACCES, "the trace buffer cannot be mapped for writing", ""},
    {EBUSY, "another process uses the module", ""},
    {EALREADY, "it is switched on, or off, already", "kutrace control stat"},
    {ENODATA, "no trace buffer was configured", "kutrace control init"},
    {ENOBUFS, "the buffer is too small for the number of CPUs", "a larger --buffer-mb"},
    {E2BIG, "the buffer would take more than half of the machine's memory",
     "a smaller --buffer-mb"},
    {ETXTBSY, "another process has the buffer mapped, so its size cannot change", ""},
    {EAGAIN, "a flight recorder can be read only when it is switched off", ""},
    {ESTALE, "the block was not taken", ""},
    {EDOM, "the sample rate does not fit",
     "1 to 20000 per second, and that of who records already"},
    {ESRCH, "a process of the filter has ended", ""},
    {EOPNOTSUPP, "a filter needs context switches", "add sched to --events"},
    {ENXIO, "this patched kernel calls a group directly, which then stays on or off",
     "load the module with direct=0"},
    {ENOSPC, "too many users read this recording", "try again later"},
    {ENOPKG, "this kernel has no control groups", "choose by --comm, --pid or --uid"},
    {EUSERS, "too many processes read it already", "try again when one of them has ended"},
    {ENODEV, "this machine has no such counter", "without --ipc and --llc"},
    {ENOTTY, "the module does not know this command: it is of another version",
     "load the module that belongs to this kutrace"},
});

Error refusal(const char* what, int error) {
  if (error == ENOMEM) throw std::bad_alloc();
  for (const Refusal& known : kRefusals)
    if (known.error == error)
      return host_error(fmt::format("{}: {}", what, known.sentence)).with_hint(known.hint);
  return host_error(fmt::format("{}: {}", what, errno_text(error)));
}

}  // namespace

bool ModuleDevice::is_loaded() { return access(KUTRACE_DEVICE, F_OK) == 0; }

Result<ModuleDevice> ModuleDevice::open() {
  const int fd = ::open(KUTRACE_DEVICE, O_RDWR | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT)
    return fail(host_error("the kernel module is not loaded: there is no " KUTRACE_DEVICE)
                    .with_hint("scripts/module install builds and loads it; "
                               "--source ebpf needs no module"));
  if (fd < 0) return fail(refusal("cannot open " KUTRACE_DEVICE, errno));
  ModuleDevice device(fd);
  KUTRACE_TRY(device.call(KUTRACE_IOC_VERSION, &device.version_, "asking for its version"));
  if (device.version_.control != KUTRACE_CONTROL_VERSION ||
      device.version_.format != KUTRACE_FORMAT_VERSION)
    return fail(host_error(fmt::format("the loaded module has version {} of its commands, this "
                                       "program version {}",
                                       device.version_.control, KUTRACE_CONTROL_VERSION))
                    .with_hint("load the module that belongs to this kutrace"));
  return device;
}

Error ModuleDevice::too_small() { return refusal("configuring the module", ENOBUFS); }

ModuleDevice::ModuleDevice(ModuleDevice&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      version_(other.version_),
      buffer_(std::exchange(other.buffer_, {})) {}

ModuleDevice& ModuleDevice::operator=(ModuleDevice&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(version_, other.version_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

ModuleDevice::~ModuleDevice() {
  unmap();
  if (fd_ >= 0) close(fd_);
}

Error ModuleDevice::refused(const char* what, int error) const {
  kutrace_status status{};
  if (error != EBUSY || ioctl(fd_, KUTRACE_IOC_STATUS, &status) < 0 || status.owner_pid == 0 ||
      status.lifetime == KUTRACE_ON_DETACHED)  // who started that may be gone
    return refusal(what, error);
  const auto owner = status.owner_pid;
  return host_error(fmt::format("{}: process {} uses the module", what, owner))
      .with_hint(fmt::format("kill {} makes it save what it recorded, and end", owner));
}

Status ModuleDevice::call(unsigned long command, const void* argument, const char* what) const {
  if (ioctl(fd_, command, argument) >= 0) return {};
  return fail(refused(what, errno));
}

Status ModuleDevice::configure(const kutrace_config& config) const {
  return call(KUTRACE_IOC_CONFIGURE, &config, "configuring the module");
}

Result<bool> ModuleDevice::try_configure(const kutrace_config& config) const {
  if (ioctl(fd_, KUTRACE_IOC_CONFIGURE, &config) >= 0) return true;
  if (errno == ENODEV) return false;
  return fail(refused("configuring the module", errno));
}

Result<bool> ModuleDevice::configure_unless_busy(const kutrace_config& config) const {
  if (ioctl(fd_, KUTRACE_IOC_CONFIGURE, &config) >= 0) return true;
  if (errno == EBUSY) return false;
  return fail(refused("configuring the module", errno));
}

Result<std::optional<kutrace_join>> ModuleDevice::join(const kutrace_config& config) const {
  kutrace_join wish{};
  wish.config = config;
  wish.config.blocks = 0;
  if (ioctl(fd_, KUTRACE_IOC_JOIN, &wish) >= 0) return wish;
  if (errno == ENODATA || errno == EXDEV) return std::nullopt;
  return fail(refused("joining the recording that is on", errno));
}

Status ModuleDevice::choose_arguments(const kutrace_arguments& arguments) const {
  return call(KUTRACE_IOC_ARGUMENTS, &arguments, "choosing arguments");
}

Status ModuleDevice::choose_threads(const kutrace_filter& filter) const {
  return call(KUTRACE_IOC_FILTER, &filter, "choosing threads");
}

Status ModuleDevice::tell_processes(std::span<const std::uint32_t> processes,
                                    std::uint32_t what) const {
  kutrace_processes list{};
  list.address = reinterpret_cast<std::uintptr_t>(processes.data());
  list.count = static_cast<std::uint32_t>(processes.size());
  list.what = what;
  return call(KUTRACE_IOC_PROCESSES, &list, "choosing processes");
}

Result<Ticks> ModuleDevice::switch_groups(std::uint32_t groups) const {
  kutrace_group_switch wanted{};
  wanted.groups = groups;
  KUTRACE_TRY(call(KUTRACE_IOC_GROUPS, &wanted, "switching groups of events"));
  return wanted.at;
}

Result<std::uint32_t> ModuleDevice::number_owner(std::uint32_t uid, std::uint32_t gid) const {
  kutrace_owner owner{};
  owner.uid = uid;
  owner.gid = gid;
  KUTRACE_TRY(call(KUTRACE_IOC_OWNER, &owner, "letting a user read"));
  return owner.number;
}

Status ModuleDevice::forget_owner(std::uint32_t number) const {
  kutrace_owner owner{};
  owner.number = number;
  return call(KUTRACE_IOC_OWNER, &owner, "forgetting a user");
}

Status ModuleDevice::reset() const {
  return call(KUTRACE_IOC_RESET, nullptr, "resetting the trace buffer");
}

Status ModuleDevice::switch_on(kutrace_lifetime lifetime) const {
  const std::uint32_t value = lifetime;
  return call(KUTRACE_IOC_ON, &value, "switching recording on");
}

Status ModuleDevice::switch_off() const {
  return call(KUTRACE_IOC_OFF, nullptr, "switching recording off");
}

Status ModuleDevice::flush() const {
  return call(KUTRACE_IOC_FLUSH, nullptr, "flushing the trace buffer");
}

Result<kutrace_status> ModuleDevice::status() const {
  kutrace_status status{};
  KUTRACE_TRY(call(KUTRACE_IOC_STATUS, &status, "asking for the module's status"));
  return status;
}

Result<kutrace_cpu_status> ModuleDevice::cpu_status(CpuId cpu) const {
  kutrace_cpu_status status{};
  status.cpu = cpu;
  KUTRACE_TRY(call(KUTRACE_IOC_CPU, &status, "asking for a CPU's status"));
  return status;
}

Result<kutrace_clocks> ModuleDevice::clocks() const {
  kutrace_clocks clocks{};
  KUTRACE_TRY(call(KUTRACE_IOC_CLOCKS, &clocks, "reading the module's clock"));
  return clocks;
}

Result<std::vector<kutrace_block_info>> ModuleDevice::take() const {
  std::vector<kutrace_block_info> all;
  std::array<kutrace_block_info, 256> some{};
  for (;;) {
    kutrace_take request{};
    request.address = reinterpret_cast<std::uintptr_t>(some.data());
    request.capacity = some.size();
    Status taken = call(KUTRACE_IOC_TAKE, &request, "taking finished blocks");
    // What was taken before is the reader's; what is wrong is said when it asks again.
    if (!taken && all.empty()) return fail(std::move(taken.error()));
    if (!taken) return all;
    all.insert(all.end(), some.begin(), some.begin() + request.count);
    if (request.count < some.size()) return all;
  }
}

Status ModuleDevice::release(const kutrace_release& block) const {
  return call(KUTRACE_IOC_RELEASE, &block, "releasing a block");
}

Result<std::vector<kutrace_stack>> ModuleDevice::stacks() const {
  constexpr std::uint32_t kAtOnce = 64;
  std::vector<kutrace_stack> all;
  kutrace_stacks some{};
  do {
    const std::size_t before = all.size();
    all.resize(before + kAtOnce);
    some.address = reinterpret_cast<std::uintptr_t>(all.data() + before);
    some.capacity = kAtOnce;
    KUTRACE_TRY(call(KUTRACE_IOC_STACKS, &some, "reading stacks"));
    all.resize(before + some.count);
  } while (some.count != 0);
  return all;
}

Result<std::vector<kutrace_hook_info>> ModuleDevice::hooks() const {
  std::vector<kutrace_hook_info> hooks(version_.hooks);
  for (std::uint32_t i = 0; i < version_.hooks; ++i) {
    hooks[i].index = i;
    KUTRACE_TRY(call(KUTRACE_IOC_HOOK, &hooks[i], "asking for the module's hooks"));
  }
  return hooks;
}

Result<std::span<const std::uint64_t>> ModuleDevice::map(std::uint32_t blocks) {
  unmap();
  const std::size_t bytes = std::size_t{blocks} * KUTRACE_BLOCK_BYTES;
  void* address = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd_, 0);
  if (address == MAP_FAILED) return fail(refusal("mapping the trace buffer", errno));
  buffer_ = {static_cast<const std::uint64_t*>(address), bytes / 8};
  return buffer_;
}

void ModuleDevice::unmap() {
  if (!buffer_.empty()) munmap(const_cast<std::uint64_t*>(buffer_.data()), buffer_.size_bytes());
  buffer_ = {};
}

}  // namespace kutrace::record
