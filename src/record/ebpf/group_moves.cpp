// SPDX-License-Identifier: BSD-3-Clause
// Reads a ring of the kernel's.
#include "record/ebpf/group_moves.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "record/ebpf/bpf/layout.h"
#include "record/ebpf/load_error.h"

namespace kutrace::record {

// The address of what is passed here stays: the ring lives no longer than this.
Status GroupMoves::open(int map) {
  ring_.reset(ring_buffer__new(map, add, &moves_, nullptr));
  if (ring_ == nullptr)
    return fail(kernel_error("cannot read moves between control groups", errno));
  return {};
}

int GroupMoves::add(void* moves, void* data, std::size_t bytes) {
  kutrace_group_move move{};
  std::memcpy(&move, data, std::min(bytes, sizeof move));
  const std::size_t length = std::min<std::size_t>(move.bytes, KUTRACE_GROUP_PATH);
  static_cast<std::vector<CgroupRecord>*>(moves)->push_back(
      {static_cast<Pid>(move.process), move.at, {move.path, move.path + length}});
  return 0;
}

std::vector<CgroupRecord> GroupMoves::take() {
  if (ring_ != nullptr) ring_buffer__consume(ring_.get());
  return std::exchange(moves_, {});
}

}  // namespace kutrace::record
