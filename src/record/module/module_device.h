// SPDX-License-Identifier: BSD-3-Clause
// /dev/kutrace: each command of the module as a function, each refusal as a sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "kutrace/control.h"

namespace kutrace::record {

class ModuleDevice {
 public:
  static bool is_loaded();
  // Opens the device and checks that the module speaks this program's version of its commands.
  static Result<ModuleDevice> open();
  // Why a buffer of this size is refused, or copies of it would be.
  static Error too_small();
  ModuleDevice(ModuleDevice&& other) noexcept;
  ModuleDevice& operator=(ModuleDevice&& other) noexcept;
  ~ModuleDevice();

  int fd() const { return fd_; }
  const kutrace_version& version() const { return version_; }

  Status configure(const kutrace_config& config) const;
  // The same; false if this machine lacks a counter that it asks for.
  Result<bool> try_configure(const kutrace_config& config) const;
  // The same; false if another process uses the module.
  Result<bool> configure_unless_busy(const kutrace_config& config) const;
  // Reads the recording of another process, too. None if nothing is recorded that can be joined.
  Result<std::optional<kutrace_join>> join(const kutrace_config& config) const;
  // Of a configuration with KUTRACE_CONFIG_ARGUMENTS.
  Status choose_arguments(const kutrace_arguments& arguments) const;
  Status choose_threads(const kutrace_filter& filter) const;
  Status tell_processes(std::span<const std::uint32_t> processes, std::uint32_t what) const;
  // While it records: returns the counter until which all groups that were on are recorded, and
  // from which on all that are. What fails changes nothing.
  Result<Ticks> switch_groups(std::uint32_t groups) const;
  // The number that threads into which this user, as this group, may look have from here on. Of a
  // configuration with KUTRACE_CONFIG_OWNERS.
  Result<std::uint32_t> number_owner(std::uint32_t uid, std::uint32_t gid) const;
  // No thread has that number from here on.
  Status forget_owner(std::uint32_t number) const;
  Status reset() const;
  Status switch_on(kutrace_lifetime lifetime) const;
  Status switch_off() const;
  Status flush() const;
  Result<kutrace_status> status() const;
  Result<kutrace_cpu_status> cpu_status(CpuId cpu) const;
  Result<kutrace_clocks> clocks() const;
  Result<std::vector<kutrace_block_info>> take() const;
  Status release(const kutrace_release& block) const;
  Result<std::vector<kutrace_hook_info>> hooks() const;
  // Of the last recording, if its configuration had KUTRACE_CONFIG_STACKS.
  Result<std::vector<kutrace_stack>> stacks() const;

  // The whole buffer as the last configuration made it, its trailers included, read-only.
  Result<std::span<const std::uint64_t>> map(std::uint32_t blocks);
  void unmap();

 private:
  explicit ModuleDevice(int fd) : fd_(fd) {}
  Status call(unsigned long command, const void* argument, const char* what) const;
  // Names who records, if that is why.
  Error refused(const char* what, int error) const;

  int fd_ = -1;
  kutrace_version version_{};
  std::span<const std::uint64_t> buffer_;
};

}  // namespace kutrace::record
