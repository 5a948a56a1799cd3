// SPDX-License-Identifier: BSD-3-Clause
// In place of the counter where the eBPF programs could not be built.
#include "record/count/counter.h"
#include "record/ebpf/capability.h"

namespace kutrace::record {

Result<std::unique_ptr<Counter>> open_counter(const count::Question& /*question*/,
                                              const CounterOptions& /*options*/) {
  return fail(check_ebpf_usable().error());
}

}  // namespace kutrace::record
