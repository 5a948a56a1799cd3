// SPDX-License-Identifier: BSD-3-Clause
// Decodes the slabs of a page. In: their bytes, of any origin, and the page's tables; out: what
// they hold, or a word that says what does not fit.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "read/page/decoded_slab.h"
#include "read/page/slab_columns.h"

namespace kutrace::read {

class SlabDecoder {
 public:
  // `has_calls`: slabs tell of calls.
  SlabDecoder(const PageTables& tables, bool has_calls) : tables_(tables), has_calls_(has_calls) {}

  // One slab after the other, into one that is cleared.
  void decode(std::span<const std::uint8_t> bytes, DecodedSlab& slab);
  // The block of what lies in no slab, before the first slab.
  void decode_long(std::span<const std::uint8_t> bytes, DecodedSlab& slab);

 private:
  const char* read(std::span<const std::uint8_t> bytes, DecodedSlab& slab);

  const PageTables& tables_;
  const bool has_calls_;
  std::uint32_t last_call_ = 0;  // its id
};

// Only what lies over the executions of a slab, or of the block of what lies in no slab; `rest`:
// the slab's last part. Null if it fits.
const char* each_overlay(const PageTables& tables, const SlabBytes& head, ColumnReader rest,
                         const std::function<void(const SpanSlabs::Overlay&)>& take);

}  // namespace kutrace::read
