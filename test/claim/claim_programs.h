// SPDX-License-Identifier: BSD-3-Clause
// The eBPF programs' way of writing entries, compiled for user space: one CPU, number 0, on memory
// of the test's. Each access to memory that is shared, and each helper of the kernel that they
// call, is a step, before which something else may come.
#pragma once

#include <cstdint>

#include "record/ebpf/bpf/layout.h"

extern "C" {

kutrace_shared* claim_shared();
void claim_use(kutrace_rings* rings, kutrace_block* blocks, std::uint32_t count);
// Called before each step; may call what is declared here, too, as an interrupt does.
void claim_before_step(void (*function)());

void claim_start();
void claim_put(std::uint32_t event, std::uint32_t arg);
void claim_put_call(std::uint32_t event, std::uint32_t arg);
void claim_put_return(std::uint32_t event, std::int64_t result);
// Who runs.
void claim_run(int pid, int task);
}
