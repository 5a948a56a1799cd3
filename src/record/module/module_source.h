// SPDX-License-Identifier: BSD-3-Clause
// The module as a source: its blocks, mapped read-only, in the form that the recorder takes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/module/module_device.h"
#include "record/source/source.h"

namespace kutrace::record {

// Configures the module and maps its buffer. Nothing is recorded yet.
Result<std::unique_ptr<Source>> open_module_source(const SourceOptions& options);

// What the module is told for these options.
kutrace_config module_config(const SourceOptions& options);

// What was asked for and this kernel's tracepoints do not show, and what was not: one line each.
void module_unseen(const std::vector<kutrace_hook_info>& hooks, const kutrace_config& config,
                   std::vector<std::string>& lacking, std::vector<std::string>& switched_off);

}  // namespace kutrace::record
