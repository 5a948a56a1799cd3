// SPDX-License-Identifier: BSD-3-Clause
// Programs made of instructions instead of an object file.
#include "record/ebpf/empty_programs.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>

namespace kutrace::record {

namespace {

std::uint32_t tracepoint_type(const std::string& tracepoint) {
  const std::unique_ptr<btf, void (*)(btf*)> types(btf__load_vmlinux_btf(), btf__free);
  if (types == nullptr) return 0;
  const std::string name = "btf_trace_" + tracepoint;
  const int id = btf__find_by_name_kind(types.get(), name.c_str(), BTF_KIND_TYPEDEF);
  return id < 0 ? 0 : static_cast<std::uint32_t>(id);
}

}  // namespace

int load_empty(const char* tracepoint) {
  std::array<bpf_insn, 2> code{};
  code[0].code = BPF_ALU64 | BPF_MOV | BPF_K;
  code[1].code = BPF_JMP | BPF_EXIT;
  bpf_prog_load_opts options{};
  options.sz = sizeof options;
  options.expected_attach_type = BPF_TRACE_RAW_TP;
  options.attach_btf_id = tracepoint_type(tracepoint);
  return bpf_prog_load(BPF_PROG_TYPE_TRACING, "kutrace_probe", "Dual BSD/GPL", code.data(),
                       code.size(), &options);
}

EmptyPrograms::~EmptyPrograms() {
  for (const int fd : fds_) close(fd);
}

Result<EmptyPrograms> EmptyPrograms::attach() {
  EmptyPrograms programs;
  for (const char* tracepoint : {"sys_enter", "sys_exit"}) {
    const int program = load_empty(tracepoint);
    if (program < 0)
      return fail(host_error("an empty program does not load: " + errno_text(-program)));
    const int link = bpf_raw_tracepoint_open(nullptr, program);
    close(program);
    if (link < 0) return fail(host_error("an empty program does not attach: " + errno_text(-link)));
    programs.fds_.push_back(link);
  }
  return programs;
}

}  // namespace kutrace::record
