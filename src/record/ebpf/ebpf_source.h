// SPDX-License-Identifier: BSD-3-Clause
// The eBPF source: programs on the running kernel's tracepoints that write packed entries into
// blocks mapped here. In: options; out: finished blocks (through the pool) and what this
// kernel cannot show. Every hook is bound to file descriptors and goes away with the process.
#pragma once

#include <memory>

#include "base/result.h"
#include "record/source/source.h"

namespace kutrace::record {

// Loads and attaches every hook that this kernel has. Nothing is recorded yet.
Result<std::unique_ptr<Source>> open_ebpf_source(const SourceOptions& options);

}  // namespace kutrace::record
