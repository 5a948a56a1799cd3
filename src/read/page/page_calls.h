// SPDX-License-Identifier: BSD-3-Clause
// The calls of one slab of a page. In: their column, of any origin, and the slab's executions; out:
// calls with numbers that go on from slab to slab, and on whose stack each stood.
#pragma once

#include <cstdint>
#include <vector>

#include "format/page_format.h"
#include "model/call.h"
#include "read/page/decoded_slab.h"
#include "read/page/page_numbers.h"

namespace kutrace::read {

class PageCalls {
 public:
  // `last_id` is that of the call before; it goes on counting. `slab` has its executions.
  PageCalls(const PageTables& tables, PageClock& clock, std::uint32_t& last_id, DecodedSlab& slab)
      : tables_(tables), clock_(clock), last_id_(last_id), slab_(slab), list_(slab.calls) {}

  // Fills in what the slab holds of calls. `counts`: executions of each kind. False if the column
  // does not fit.
  bool read(ColumnReader column, const std::vector<std::uint32_t>& counts);

 private:
  struct Piece {
    PlaceInSlab place;
    std::uint32_t call = 0;  // where it is the last one: which place its call has in the list
  };

  // Of calls that are no more than their pieces, and of others.
  struct Columns {
    ColumnReader counts{{}}, letters{{}}, times{{}}, unknown{{}}, flags{{}}, leads{{}}, tails{{}};
  };

  bool read_pieces(ColumnReader column, const std::vector<std::uint32_t>& counts);
  bool join();
  bool read_full(ColumnReader& column, std::uint64_t count);
  bool read_full_owners(ColumnReader column);
  bool read_waits(Columns& columns);
  CallId next_id() { return CallId{++last_id_}; }

  const PageTables& tables_;
  PageClock& clock_;
  std::uint32_t& last_id_;
  DecodedSlab& slab_;
  CallList& list_;                  // first those that are no more than their pieces
  std::size_t plain_ = 0;           // so many
  std::vector<Piece> pieces_;       // of those, by position
  std::vector<std::size_t> sizes_;  // pieces of each section
};

}  // namespace kutrace::read
