// SPDX-License-Identifier: BSD-3-Clause
// The calls of one slab of a page. In: their column, of any origin, and the slab's spans; out:
// calls with numbers that go on from slab to slab, and on whose stack each stood.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "format/page_format.h"
#include "model/call.h"
#include "read/page/call_nest.h"
#include "read/page/page_numbers.h"
#include "read/page/page_slab.h"

namespace kutrace::read {

class PageCalls {
 public:
  // `last_id` is that of the call before; it goes on counting.
  PageCalls(const PageTables& tables, PageClock& clock, std::uint32_t& last_id)
      : tables_(tables), clock_(clock), last_id_(last_id) {}

  // What the spans are, by position: their kinds, and how many there are of each.
  struct Kinds {
    std::span<const KindIndex> of;
    const std::vector<std::uint32_t>& counts;
  };
  // Gives the spans the numbers of their calls. False if the column does not fit.
  bool read(ColumnReader column, std::vector<Span>& spans, const Kinds& kinds);
  // Those that are more than one span; once, after reading.
  CallList take_list() { return std::move(list_); }
  // Whether the span at that position is a whole call, and that call.
  bool is_whole(std::size_t position, const Span& span) const {
    return codes_[position] == CallPiece::kWhole && is_call_kind(span.kind);
  }
  static Call whole(const Span& span);

 private:
  struct Piece {
    std::size_t position = 0;
    CallPiece code = CallPiece::kWhole;
  };

  // Of calls that are no more than their pieces, and of others.
  struct Columns {
    ColumnReader counts{{}}, letters{{}}, times{{}}, unknown{{}}, flags{{}}, leads{{}}, tails{{}};
  };

  bool read_pieces(ColumnReader column, const Kinds& kinds);
  bool join(std::vector<Span>& spans, const Kinds& kinds);
  bool read_full(ColumnReader& column, std::uint64_t count);
  bool read_full_owners(ColumnReader column);
  bool read_waits(Columns& columns);
  static Call begun(const Span& span);
  CallId next_id() { return CallId{++last_id_}; }

  const PageTables& tables_;
  PageClock& clock_;
  std::uint32_t& last_id_;
  std::vector<Piece> pieces_;     // those that are no whole calls
  std::vector<CallPiece> codes_;  // by position, of all
  CallList list_;                 // first those that are no more than their pieces
  std::size_t plain_ = 0;         // so many
};

}  // namespace kutrace::read
