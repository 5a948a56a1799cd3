// SPDX-License-Identifier: BSD-3-Clause
// Asks /proc, /lib/modules and the device.
#include "record/module/module_checks.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <string>

#include "record/module/module_device.h"
#include "record/proc/lockdown.h"

namespace kutrace::record {

namespace {

std::string kernel_release() {
  utsname machine{};
  uname(&machine);
  return machine.release;
}

Status check_loadable() {
  if (access("/proc/modules", F_OK) == 0) return {};
  return fail(host_error("this kernel cannot load modules")
                  .with_hint("use a kernel built with CONFIG_MODULES=y, or the ebpf source"));
}

Status check_headers() {
  const std::string release = kernel_release();
  if (access(("/lib/modules/" + release + "/build/Makefile").c_str(), R_OK) == 0) return {};
  return fail(host_error("the running kernel's headers are not installed")
                  .with_hint("apt install linux-headers-" + release));
}

Status check_signature() {
  if (const std::string mode = lockdown_mode(); mode == "off" || mode == "none") return {};
  return fail(host_error("the kernel is locked down and takes only signed modules")
                  .with_hint("sign it with a key of this machine (DKMS does, once the key is "
                             "enrolled), or use the ebpf source"));
}

Status check_loaded() {
  if (ModuleDevice::is_loaded()) return {};
  return fail(
      host_error("it is not loaded: there is no " KUTRACE_DEVICE)
          .with_hint("sudo scripts/module install   (builds, loads, and keeps it with DKMS)"));
}

Status check_open() {
  const auto device = ModuleDevice::open();
  if (!device) return fail(device.error());
  return {};
}

}  // namespace

std::vector<Check> module_checks() {
  std::vector<Check> checks{{"loaded", check_loaded()}};
  if (checks.back().answer) {
    checks.push_back({"this process may use it", check_open()});
    return checks;
  }
  checks.push_back({"this kernel loads modules", check_loadable()});
  if (!checks.back().answer) return checks;
  checks.push_back({"headers to build it", check_headers()});
  checks.push_back({"unsigned modules are taken", check_signature()});
  return checks;
}

}  // namespace kutrace::record
