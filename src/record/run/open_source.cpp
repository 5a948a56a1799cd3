// SPDX-License-Identifier: BSD-3-Clause
// One line per source.
#include "record/run/open_source.h"

#include <unistd.h>

#include "record/ebpf/capability.h"
#include "record/ebpf/ebpf_source.h"
#include "record/module/module_device.h"
#include "record/module/module_source.h"
#include "record/served/served_source.h"

namespace kutrace::record {

Result<std::unique_ptr<Source>> open_source_of(SourceKind kind, const SourceOptions& options) {
  if (kind == SourceKind::kDaemon) return open_served_source(options, options.daemon_socket);
  return kind == SourceKind::kModule ? open_module_source(options) : open_ebpf_source(options);
}

SourceChoice best_source_for_user(const std::string& daemon_socket, bool can_join) {
  SourceChoice best = best_source(can_join);
  if (best.kind == SourceKind::kModule || geteuid() == 0 || check_ebpf_usable()) return best;
  if (!daemon_listens(daemon_socket)) return best;
  return {SourceKind::kDaemon, "this user may not record directly"};
}

SourceChoice best_source(bool can_join) {
  if (!ModuleDevice::is_loaded()) return {SourceKind::kEbpf, "no " KUTRACE_DEVICE};
  const auto device = ModuleDevice::open();
  if (!device) return {SourceKind::kEbpf, device.error().sentence};
  const auto status = device->status();
  if (!status) return {SourceKind::kEbpf, status.error().sentence};
  if (can_join && status->recording != 0 && status->lifetime == KUTRACE_ON_SHARED)
    return {SourceKind::kModule,
            "the module records already, and what it records is read by several"};
  if (status->recording != 0)
    return {SourceKind::kEbpf,
            "the module records already, for process " + std::to_string(status->owner_pid)};
  return {SourceKind::kModule, "the module is loaded, and costs less than eBPF"};
}

}  // namespace kutrace::record
