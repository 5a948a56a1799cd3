// SPDX-License-Identifier: BSD-3-Clause
// Processes that moved to another control group, as bpf/groups.h tells them. In: the map that they
// come through; out: a record for each, in the order in which they were told.
#pragma once

#include <bpf/libbpf.h>

#include <memory>
#include <vector>

#include "base/result.h"
#include "format/process_text.h"

namespace kutrace::record {

class GroupMoves {
 public:
  Status open(int map);
  // Those since the last time. None where none are told.
  std::vector<CgroupRecord> take();
  void close() { ring_.reset(); }

 private:
  static int add(void* moves, void* data, std::size_t bytes);

  struct Free {
    void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
  };
  std::vector<CgroupRecord> moves_;
  std::unique_ptr<ring_buffer, Free> ring_;
};

}  // namespace kutrace::record
