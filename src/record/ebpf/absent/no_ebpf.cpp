// SPDX-License-Identifier: BSD-3-Clause
// In place of the eBPF source where it could not be built: every question has the same answer.
#include <utility>

#include "record/ebpf/capability.h"
#include "record/ebpf/ebpf_source.h"
#include "record/ebpf/empty_programs.h"

namespace kutrace::record {

namespace {

Error not_built() {
  return host_error("this kutrace was built without the eBPF source")
      .with_hint(
          "install clang and libbpf (scripts/setup does), then build again; "
          "kutrace --version names what is missing");
}

}  // namespace

Status check_ebpf_usable() { return fail(not_built()); }
std::vector<Check> ebpf_checks() { return {{"built into this kutrace", fail(not_built())}}; }
bool may_read_kernel_memory() { return false; }

Result<EmptyPrograms> EmptyPrograms::attach() { return fail(not_built()); }
EmptyPrograms::~EmptyPrograms() = default;

Result<std::unique_ptr<Source>> open_ebpf_source(const SourceOptions&) { return fail(not_built()); }

}  // namespace kutrace::record
