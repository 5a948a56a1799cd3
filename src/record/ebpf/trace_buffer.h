// SPDX-License-Identifier: BSD-3-Clause
// The memory of all blocks: a map of the kernel's, and its place in this process. The kernel clears
// it page by page, so a thread of its own waits for that while the programs are prepared.
#pragma once

#include <cstdint>
#include <future>

#include "base/result.h"
#include "files/descriptor.h"
#include "record/ebpf/bpf/layout.h"
#include "record/ebpf/mapping.h"

namespace kutrace::record {

class TraceBuffer {
 public:
  // Begins to make it.
  explicit TraceBuffer(std::uint32_t blocks);

  // Waits until it is made. Then the map's descriptor and the memory are there.
  Status wait();
  int map() const { return map_.get(); }
  kutrace_block* blocks() const { return memory_.as<kutrace_block>(); }

 private:
  Status make(std::uint32_t blocks);

  files::Descriptor map_;
  Mapping memory_;
  std::future<Status> made_;  // last: its end is waited for first
};

}  // namespace kutrace::record
