// SPDX-License-Identifier: BSD-3-Clause
// What all who load BPF programs of this project share: libbpf's objects with an owner, its words,
// and the two forms in which each program of a tracepoint is made (bpf/hook.h).
#pragma once

#include <bpf/libbpf.h>

#include <memory>
#include <string>
#include <string_view>

#include "record/ebpf/kernel_types.h"

namespace kutrace::record {

template <typename T, void (*Destroy)(T*)>
struct Destroyer {
  void operator()(T* object) const { Destroy(object); }
};

inline void destroy_link(bpf_link* link) { bpf_link__destroy(link); }

using ObjectPtr = std::unique_ptr<bpf_object, Destroyer<bpf_object, bpf_object__close>>;
using LinkPtr = std::unique_ptr<bpf_link, Destroyer<bpf_link, destroy_link>>;

// libbpf explains a failure over several calls; what it says from now on is kept for the error.
void keep_libbpf_words();
const std::string& libbpf_words();

// As bpf_object__load; also where the kernel does not list the types of its modules.
int load_object(bpf_object* object);

constexpr std::string_view kTracepointSection = "tp_btf/";

// A function of the kernel's that programs of this kind may call since a release; its types do not
// tell since when.
bool may_call(const KernelTypes& types, const char* function, unsigned since_major,
              unsigned since_minor);

// Whether programs must hold their CPU themselves (bpf/hook.h).
bool must_hold_cpu(const KernelTypes& types);
bool is_held_form(std::string_view program);
// Both forms of a program have one name.
std::string_view name_of(const bpf_program* program);

// Returns when every program that ran at the call has ended.
void wait_for_programs();

}  // namespace kutrace::record
