// SPDX-License-Identifier: BSD-3-Clause
// What the BPF programs are told of arguments. In: which calls; out: their settings.
#pragma once

#include "record/ebpf/bpf/layout.h"
#include "record/source/call_choice.h"

namespace kutrace::record {

kutrace_arguments argument_settings(const CallChoice& choice);

}  // namespace kutrace::record
