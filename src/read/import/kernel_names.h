// SPDX-License-Identifier: BSD-3-Clause
// Which threads are the kernel's, where a file says nothing of it but names.
#pragma once

#include <string_view>

#include "base/units.h"

namespace kutrace::read {

constexpr Pid kMotherOfKernelThreads = 2;  // kthreadd

// Whether the kernel gives such a name to its threads.
bool names_kernel_thread(std::string_view name);

}  // namespace kutrace::read
