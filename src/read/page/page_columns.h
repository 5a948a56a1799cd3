// SPDX-License-Identifier: BSD-3-Clause
// A page or container by slab, for readers that need some columns of some slabs. In: its blocks and
// its header; out: columns of executions, what lies over them, and what the header knows.
#pragma once

#include <cstdint>
#include <vector>

#include "model/names.h"
#include "model/span_slabs.h"
#include "read/page/page_blocks.h"
#include "read/page/page_facts.h"
#include "read/page/page_numbering.h"

namespace kutrace::read {

class PageColumns : public SpanSlabs {
 public:
  // All of it must stay.
  PageColumns(PageSource& source, const PageFacts& facts, NameTable& names, Counters opened);

  const Tables& tables() const override { return tables_; }
  const std::vector<Extent>& extents() const override { return extents_; }
  bool tells_lives() const override { return facts_.tells_lives(); }
  TraceInfo tell_facts(SpanSink& sink) const override;
  Status executions(std::size_t slab, unsigned wanted, SlabColumns& columns) override;
  Result<std::vector<CpuSums>> cpu_sums() override;
  Status overlays(const std::function<void(const Overlay&)>& take) override;

 private:
  Error unfit(const char* what, const std::string& block) const;

  PageSource& source_;
  const PageFacts& facts_;
  const Counters opened_;
  const PageNumbering numbering_;
  const PageTables tables_;
  std::vector<Extent> extents_;
  std::vector<std::uint8_t> bytes_;     // of a slab
  std::vector<std::uint64_t> numbers_;  // of a column
};

}  // namespace kutrace::read
