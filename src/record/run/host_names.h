// SPDX-License-Identifier: BSD-3-Clause
// Names that hold for a whole trace: the machine, system calls, interrupts, errors, threads.
#pragma once

#include <vector>

#include "format/name_entries.h"
#include "record/proc/task_seed.h"
#include "record/source/probed_function.h"

namespace kutrace::record {

// Kernel, processor and host, traps, interrupts (with the devices of /proc/interrupts), calls,
// errors.
void add_machine_names(NameEntries& names);

// Functions that are probed, in the order of their numbers.
void add_function_names(NameEntries& names, const std::vector<ProbedFunction>& functions);

// Name and facts of a thread; `extra` are KUTRACE_TASK_* flags to add.
void add_task(NameEntries& names, const SeedTask& task, std::uint32_t extra);

}  // namespace kutrace::record
