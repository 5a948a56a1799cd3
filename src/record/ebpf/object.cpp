// SPDX-License-Identifier: BSD-3-Clause
// Embeds the file KUTRACE_BPF_OBJECT, which the build made from src/record/ebpf/bpf/.
#include "record/ebpf/object.h"

asm(".section .rodata\n"
    ".balign 16\n"
    "kutrace_bpf_object_begin:\n"
    ".incbin \"" KUTRACE_BPF_OBJECT
    "\"\n"
    "kutrace_bpf_object_end:\n"
    ".byte 0\n"
    ".text\n");

extern "C" {
extern const std::byte kutrace_bpf_object_begin[];
extern const std::byte kutrace_bpf_object_end[];
}

namespace kutrace::record {

std::span<const std::byte> bpf_object_bytes() {
  return {kutrace_bpf_object_begin, kutrace_bpf_object_end};
}

}  // namespace kutrace::record
