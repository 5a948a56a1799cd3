// SPDX-License-Identifier: BSD-3-Clause
// Whether this process and /proc number threads as the kernel does, as a trace does. In a container
// with a PID namespace of its own they do not, and cannot be asked for the kernel's numbers.
#pragma once

#include <cstdint>

namespace kutrace::record {

bool knows_kernel_pids();

constexpr const char* kPidsNotKnown =
    "names of threads that were there before the recording, what sampled code is called, and which "
    "threads are the recorder's and the command's (the recorder is in a PID namespace)";

// Whether no thread has this number, as this process sees them.
bool is_gone(std::uint32_t thread);

}  // namespace kutrace::record
