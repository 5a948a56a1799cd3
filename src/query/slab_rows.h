// SPDX-License-Identifier: BSD-3-Clause
// The executions of a trace that stands in slabs as rows of a table that are read when they are
// asked for. In: the slabs, and what their kinds and threads are in the tables; out: blocks of the
// columns that are kept. A block has rows of one CPU of a slab, or of several that have few, so
// that a question about one CPU, or a short time, passes over most blocks of the slabs that it
// reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
  void foresee();
  bool fill(std::size_t block) override;
  // Why a block could not be filled.
  const Status& failure() const { return failure_; }

 private:
  struct Place {
    std::size_t slab = 0;
    std::size_t row = 0;  // its first one in the slab
    std::size_t rows = 0;
    std::size_t section = 0;       // its first one in the slab
    std::size_t last_section = 0;  // of which it has rows
    bool same_as(const Place& other) const {
      return slab == other.slab && section == other.section && last_section == other.last_section;
    }
  };
  // The greatest numbers of all rows.
  struct Most {
    std::int64_t what = 0;
    std::int64_t thread = 0;
  };
  class Piece;

  void foresee(const Piece& piece, const Most& most);
  unsigned wanted();
  Status read(const Place& place);
  template <typename Value>
  void fill_column(PackedColumn& column, std::size_t block, const Value& value);

  SpanSlabs& slabs_;
  const SlabPlaces& places_;
  SpanRows& rows_;
  std::vector<Place> blocks_;
  SlabColumns columns_;
  std::optional<Place> read_;         // whose columns these are
  std::vector<std::int64_t> values_;  // of a block
  Status failure_;
};

}  // namespace kutrace::query
