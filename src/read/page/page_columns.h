// SPDX-License-Identifier: BSD-3-Clause
// A page or container by slab, for readers that need some columns of some slabs. In: its blocks and
// its header; out: columns of executions, what lies over them, and what the header knows.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/names.h"
#include "model/span_slabs.h"
#include "read/page/page_blocks.h"
#include "read/page/page_facts.h"
#include "read/page/page_numbering.h"
#include "read/page/slab_columns.h"

namespace kutrace::read {

class PageColumns : public SpanSlabs {
 public:
  // All of it must stay.
  PageColumns(PageSource& source, const PageFacts& facts, NameTable& names, Counters opened);

  const Tables& tables() const override { return tables_; }
  const std::vector<Extent>& extents() const override { return extents_; }
  bool tells_lives() const override { return facts_.tells_lives(); }
  TraceInfo tell_facts(SpanSink& sink) const override;
  Status executions(std::size_t slab, const Choice& choice, SlabColumns& columns) override;
  Result<std::vector<CpuSums>> cpu_sums() override;
  Status overlays(const std::function<void(const Overlay&)>& take) override;

 private:
  // A slab that has been unpacked, or those parts of it that columns are read from.
  struct Open {
    Open(std::size_t number, unsigned wanted, const SlabBytes& from, const PageTables& tables)
        : slab(number),
          unpacked(wanted),
          bytes(from),
          clock(from.unit, from.base),
          reader(tables, clock) {}
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

    std::size_t slab;
    unsigned unpacked;  // the columns
    SlabBytes bytes;
    PageClock clock;
    SlabColumnReader reader;
  };

  Status open(std::size_t slab, unsigned wanted);
  Result<ColumnReader> unpacked(std::size_t slab, SlabPart part);
  Status overlays_of(std::span<const std::uint8_t> bytes, const std::string& block,
                     const std::function<void(const Overlay&)>& take) const;
  Error unfit(const char* what, const std::string& block) const;

  PageSource& source_;
  const PageFacts& facts_;
  const Counters opened_;
  const PageNumbering numbering_;
  const PageTables tables_;
  std::vector<Extent> extents_;
  std::array<std::vector<std::uint8_t>, kSlabParts> room_;  // for parts; the first for a slab, too
  std::optional<Open> open_;
};

}  // namespace kutrace::read
