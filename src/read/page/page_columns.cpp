// SPDX-License-Identifier: BSD-3-Clause
// Slab by slab, see page_columns.h.
#include "read/page/page_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "read/page/cpu_sums.h"
#include "read/page/page_lives.h"
#include "read/page/page_slab.h"

namespace kutrace::read {

namespace {

// Lives, and nothing else.
class LivesOnly : public SpanStage {
 public:
  using SpanStage::SpanStage;
  void push(const Span& /*span*/) override {}
};

// What the header says of a section must be true of it: readers rely on that before they read it.
// `first`: its first span in the columns.
const char* not_as_said(const SlabColumns& columns, unsigned wanted,
                        const SpanSlabs::Section& section, std::size_t first) {
  if ((wanted & (SlabColumns::kStarts | SlabColumns::kDurations)) == 0) return nullptr;
  const Ns most = section.end - section.begin;
  const auto durations = std::span(columns.durations).subspan(first, section.spans);
  if (std::ranges::any_of(durations, [most](Ns time) { return time > most; })) {
    return "its durations";
  }
  if ((wanted & SlabColumns::kStarts) == 0) return nullptr;
  for (std::size_t i = first; i < first + section.spans; ++i) {
    const Ns start = columns.starts[i];
    if (start < section.begin || start > section.end - columns.durations[i]) return "its times";
  }
  return nullptr;
}

// The same of a slab.
const char* not_as_said(const SlabColumns& columns, unsigned wanted,
                        const SpanSlabs::Extent& extent, const std::vector<CpuId>& cpus) {
  if (columns.sections.size() != extent.sections.size()) return "its sections";
  std::size_t first = 0;
  for (std::size_t i = 0; i < columns.sections.size(); ++i) {
    const SpanSlabs::Section& said = extent.sections[i];
    if (columns.sections[i].spans != said.spans) return "its sections";
    if (columns.sections[i].cpu != said.cpu || !std::ranges::binary_search(cpus, said.cpu)) {
      return "its CPUs";
    }
    if (const char* const what = not_as_said(columns, wanted, said, first)) return what;
    first += said.spans;
  }
  return nullptr;
}

}  // namespace

PageColumns::PageColumns(PageSource& source, const PageFacts& facts, NameTable& names,
                         Counters opened)
    : source_(source),
      facts_(facts),
      opened_(std::move(opened)),
      numbering_(facts, names),
      tables_(numbering_.tables(facts)) {
  for (const PageSlabFacts& slab : facts.slabs) extents_.push_back(slab.extent);
}

TraceInfo PageColumns::tell_facts(SpanSink& sink) const {
  TraceInfo info = numbering_.info(facts_, opened_);
  sink.begin(info);
  LivesOnly lives_only(sink);
  PageLives(facts_.threads, numbering_.names_of(facts_.threads), lives_only).finish();
  sink.end(info);
  return info;
}

Error PageColumns::unfit(const char* what, const std::string& block) const {
  return source_.error(fmt::format("{} holds no spans: {} do not fit", block, what), block);
}

Status PageColumns::executions(std::size_t slab, unsigned wanted, SlabColumns& columns) {
  KUTRACE_ASSIGN(bytes_, source_.slab(slab, std::move(bytes_)));
  ColumnReader reader(bytes_);
  const std::uint64_t unit = reader.next();
  PageClock clock(unit, reader.next_signed());
  SlabColumnReader execution(tables_, clock, columns, numbers_);
  const char* what = execution.read(reader, wanted);
  if (what == nullptr) what = not_as_said(columns, wanted, extents_[slab], facts_.info.cpus);
  return what == nullptr ? Status() : fail(unfit(what, page_slab_id(slab)));
}

// Sums that are not those which the header tells are none.
Result<std::vector<SpanSlabs::CpuSums>> PageColumns::cpu_sums() {
  KUTRACE_ASSIGN(const std::vector<std::uint8_t> bytes, source_.sums());
  if (bytes.empty()) return std::vector<CpuSums>();
  std::vector<CpuSums> cells;
  bool good = read_cpu_sums(bytes, tables_.kinds.size(), cells);
  std::vector<KindSums> left = tables_.sums;
  for (const CpuSums& cell : cells) {
    if (!good) break;
    KindSums& of_kind = left[cell.kind];
    good = is_execution(tables_.kinds[cell.kind].kind) &&
           std::ranges::binary_search(facts_.info.cpus, cell.cpu) &&
           cell.sums.spans <= of_kind.spans && cell.sums.total <= of_kind.total &&
           cell.sums.shortest >= of_kind.shortest && cell.sums.longest <= of_kind.longest;
    of_kind.spans -= cell.sums.spans;
    of_kind.total -= cell.sums.total;
  }
  for (std::size_t kind = 0; kind < left.size(); ++kind) {
    good = good && (!is_execution(tables_.kinds[kind].kind) ||
                    (left[kind].spans == 0 && left[kind].total == 0));
  }
  if (!good) return fail(unfit("its sums", std::string(kSumsBlock)));
  return cells;
}

Status PageColumns::overlays(const std::function<void(const Overlay&)>& take) {
  KUTRACE_ASSIGN(const std::vector<std::uint8_t> long_ones, source_.long_overlays());
  if (const char* const what = each_overlay(tables_, long_ones, take)) {
    return fail(unfit(what, std::string(kLongBlock)));
  }
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    KUTRACE_ASSIGN(bytes_, source_.slab(i, std::move(bytes_)));
    if (const char* const what = each_overlay(tables_, bytes_, take)) {
      return fail(unfit(what, page_slab_id(i)));
    }
  }
  return {};
}

}  // namespace kutrace::read
