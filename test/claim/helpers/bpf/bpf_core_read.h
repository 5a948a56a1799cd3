/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for libbpf's header likewise: structures are as they are declared. */
#ifndef KUTRACE_TEST_BPF_CORE_READ_H
#define KUTRACE_TEST_BPF_CORE_READ_H

#include <stddef.h>

#define bpf_core_field_exists(type, field) 1
#define bpf_core_field_offset(type, field) offsetof(type, field)

#endif
