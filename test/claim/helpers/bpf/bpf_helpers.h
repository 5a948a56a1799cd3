/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for libbpf's header where the programs are compiled for user space (claim_programs.c).
 */
#ifndef KUTRACE_TEST_BPF_HELPERS_H
#define KUTRACE_TEST_BPF_HELPERS_H

#include <stdint.h>

#define SEC(name)
#define __uint(name, value) int(*name)[value]
#define __type(name, value) __typeof__(value)* name
#undef __always_inline /* glibc has one, too */
#define __always_inline inline __attribute__((always_inline))
#define __noinline __attribute__((noinline))

struct task_struct;

uint64_t bpf_ktime_get_ns(void);
uint32_t bpf_get_smp_processor_id(void);
struct task_struct* bpf_get_current_task_btf(void);
long bpf_task_pt_regs(struct task_struct* task);
void* bpf_map_lookup_elem(const void* map, const void* key);

#endif
