// SPDX-License-Identifier: BSD-3-Clause
// What CPUs did in one slab of a page, column by column. In: the slab up to its overlays, of any
// origin; out: those columns that are wanted, ordered by CPU and time; or a word that says what
// does not fit. Columns that are not wanted are passed over unread.
#pragma once

#include <cstdint>
#include <vector>

#include "format/page_format.h"
#include "model/span_slabs.h"
#include "read/page/column_reader.h"
#include "read/page/page_numbers.h"

namespace kutrace::read {

// What all slabs refer to, with names of the reader's table.
struct PageTables : SpanSlabs::Tables {
  std::vector<std::optional<ThreadIndex>> owners;  // the thread that a kind implies
};

class SlabColumnReader {
 public:
  // `columns`, and `numbers`, those of a column that is read: their room is used again.
  SlabColumnReader(const PageTables& tables, PageClock& clock, SlabColumns& columns,
                   std::vector<std::uint64_t>& numbers)
      : tables_(tables), clock_(clock), columns_(columns), numbers_(numbers) {}

  // Null if all was well. `slab` stands behind the columns afterwards.
  const char* read(ColumnReader& slab, unsigned wanted);
  // Spans of each kind.
  const std::vector<std::uint32_t>& counts() const { return counts_; }

 private:
  bool read_sections(ColumnReader heads);
  bool read_kinds(ColumnReader column);
  bool read_times(ColumnReader durations, ColumnReader gaps, unsigned wanted);
  bool read_threads(ColumnReader column, bool wanted);
  // Of kinds that have such a number; 0 of others.
  template <typename Number, typename Has>
  bool read_numbers(ColumnReader column, std::uint64_t most, Has has, std::vector<Number>& numbers);

  const PageTables& tables_;
  PageClock& clock_;
  SlabColumns& columns_;
  std::vector<std::uint64_t>& numbers_;
  std::vector<Ns> starts_of_sections_;
  std::vector<std::uint32_t> counts_;
  std::size_t count_ = 0;
};

}  // namespace kutrace::read
