// SPDX-License-Identifier: BSD-3-Clause
// What the thread throws is thrown where it is waited for.
#include "record/ebpf/trace_buffer.h"

#include <bpf/bpf.h>

#include "record/ebpf/load_error.h"

namespace kutrace::record {

TraceBuffer::TraceBuffer(std::uint32_t blocks)
    : made_(std::async(std::launch::async, [this, blocks] { return make(blocks); })) {}

Status TraceBuffer::make(std::uint32_t blocks) {
  bpf_map_create_opts options{};
  options.sz = sizeof options;
  options.map_flags = BPF_F_MMAPABLE;
  const int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "blocks", sizeof(std::uint32_t),
                                 sizeof(kutrace_block), blocks, &options);
  if (map < 0) return fail(load_error(-map));
  map_ = files::Descriptor(map);
  KUTRACE_ASSIGN(memory_, Mapping::of(map, sizeof(kutrace_block) * std::size_t{blocks}));
  return {};
}

Status TraceBuffer::wait() { return made_.get(); }

}  // namespace kutrace::record
