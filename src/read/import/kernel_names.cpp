// SPDX-License-Identifier: BSD-3-Clause
// Names that the kernel gives.
#include "read/import/kernel_names.h"

#include <algorithm>

namespace kutrace::read {

namespace {

constexpr std::string_view kBegins[] = {
    "kworker/", "ksoftirqd/", "migration/", "rcu_",     "rcuop/", "rcuog/",
    "rcuos/",   "rcuc/",      "rcub/",      "cpuhp/",   "irq/",   "idle_inject/",
    "ktimers/", "jbd2/",      "scsi_eh_",   "napi/",    "kswapd", "kcompactd",
    "btrfs-",   "xfs-",       "watchdog/",  "kdamond.",
};
constexpr std::string_view kWhole[] = {
    "kthreadd",    "khugepaged", "ksmd",      "kauditd",
    "khungtaskd",  "oom_reaper", "kdevtmpfs", "writeback",
    "kintegrityd", "kblockd",    "watchdogd", "khvcd",
    "hwrng",       "kpsmoused",  "psimon",    "pool_workqueue_release",
};

}  // namespace

bool names_kernel_thread(std::string_view name) {
  return std::ranges::any_of(kBegins,
                             [&](std::string_view begin) { return name.starts_with(begin); }) ||
         std::ranges::find(kWhole, name) != std::end(kWhole);
}

}  // namespace kutrace::read
