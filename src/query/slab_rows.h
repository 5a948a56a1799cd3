// SPDX-License-Identifier: BSD-3-Clause
// The executions of a trace that stands in slabs as rows of a table that are read when they are
// asked for. In: the slabs, and what their kinds and threads are in the tables; out: blocks of the
// columns that are kept. A slab fills several blocks, the last of which may have fewer rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/span_slabs.h"
#include "query/span_rows.h"

namespace kutrace::query {

// What places in the tables of slabs are in the tables of a trace.
struct SlabPlaces {
  std::vector<std::int64_t> whats;
  std::vector<std::int64_t> threads;
};

class SlabRows : public BlockFiller {
 public:
  // All of it must stay.
  SlabRows(SpanSlabs& slabs, const SlabPlaces& places, SpanRows& rows)
      : slabs_(slabs), places_(places), rows_(rows) {}

  // Foresees all blocks of the table, which is open.
  void foresee(const std::vector<CpuId>& cpus);
  bool fill(std::size_t block) override;
  // Why a block could not be filled.
  const Status& failure() const { return failure_; }

 private:
  struct Place {
    std::size_t slab = 0;
    std::size_t first_block = 0;
  };

  unsigned wanted();
  template <typename Value>
  void fill_column(PackedColumn& column, std::size_t first_block, const Value& value);

  SpanSlabs& slabs_;
  const SlabPlaces& places_;
  SpanRows& rows_;
  std::vector<Place> blocks_;
  SlabColumns columns_;
  std::vector<std::int64_t> values_;  // of a block
  Status failure_;
};

}  // namespace kutrace::query
