// SPDX-License-Identifier: BSD-3-Clause
// Embeds the files KUTRACE_BPF_OBJECT and KUTRACE_COUNT_OBJECT, which the build made from
// src/record/ebpf/bpf/.
#include "record/ebpf/object.h"

// NAME_begin and NAME_end stand around the bytes of a file. They are global, as on arm64 the linker
// takes local ones of a section for one.
#define KUTRACE_EMBED(name, file)                                                            \
  asm(".section .rodata\n.global " #name "_begin\n.global " #name "_end\n.balign 16\n" #name \
      "_begin:\n.incbin \"" file "\"\n" #name "_end:\n.byte 0\n.text\n")

KUTRACE_EMBED(kutrace_bpf_object, KUTRACE_BPF_OBJECT);
KUTRACE_EMBED(kutrace_count_object, KUTRACE_COUNT_OBJECT);

extern "C" {
extern const std::byte kutrace_bpf_object_begin[];
extern const std::byte kutrace_bpf_object_end[];
extern const std::byte kutrace_count_object_begin[];
extern const std::byte kutrace_count_object_end[];
}

namespace kutrace::record {

std::span<const std::byte> bpf_object_bytes() {
  return {kutrace_bpf_object_begin, kutrace_bpf_object_end};
}

std::span<const std::byte> count_object_bytes() {
  return {kutrace_count_object_begin, kutrace_count_object_end};
}

}  // namespace kutrace::record
