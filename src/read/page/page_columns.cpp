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
#include "read/page/slab_decoder.h"

namespace kutrace::read {

namespace {

// Lives, and nothing else.
class LivesOnly : public SpanStage {
 public:
  using SpanStage::SpanStage;
  void push(const Span& /*span*/) override {}
};

// The parts that columns are read from.
std::vector<SlabPart> parts_of(unsigned columns) {
  std::vector<SlabPart> parts{SlabPart::kHead};
  const auto add = [&](SlabPart part, unsigned from_it) {
    if ((columns & from_it) != 0) parts.push_back(part);
  };
  add(SlabPart::kDurations, SlabColumns::kStarts | SlabColumns::kDurations);
  add(SlabPart::kGapsAndThreads, SlabColumns::kStarts | SlabColumns::kThreads);
  add(SlabPart::kArguments, SlabColumns::kArgs);
  add(SlabPart::kResults, SlabColumns::kResults | SlabColumns::kIpcs | SlabColumns::kRpcs);
  return parts;
}

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

// The same of sections.
const char* not_as_said(const SlabColumns& columns, const SpanSlabs::Choice& choice,
                        const SpanSlabs::Extent& extent, const std::vector<CpuId>& cpus) {
  if (columns.sections.size() != extent.sections.size()) return "its sections";
  std::size_t first = 0;
  for (std::size_t i = 0; i < columns.sections.size(); ++i) {
    const SpanSlabs::Section& said = extent.sections[i];
    if (columns.sections[i].spans != said.spans) return "its sections";
    if (columns.sections[i].cpu != said.cpu || !std::ranges::binary_search(cpus, said.cpu)) {
      return "its CPUs";
    }
    if (i >= choice.first && i < choice.end) {
      if (const char* const what = not_as_said(columns, choice.columns, said, first)) return what;
    }
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

// One slab after the other; of each what is asked for next is often what lies behind.
Status PageColumns::executions(std::size_t slab, const Choice& choice, SlabColumns& columns) {
  if (!open_ || open_->slab != slab || (choice.columns & ~open_->unpacked) != 0) {
    open_.reset();
    KUTRACE_TRY(open(slab, choice.columns));
  }
  const char* what = open_->reader.read(open_->bytes, choice, columns);
  if (what == nullptr) what = not_as_said(columns, choice, extents_[slab], facts_.info.cpus);
  if (what == nullptr) return {};
  open_.reset();
  return fail(unfit(what, page_slab_id(slab)));
}

// Unpacks what those columns are read from.
Status PageColumns::open(std::size_t slab, unsigned wanted) {
  SlabBytes bytes;
  const char* what = nullptr;
  if (source_.in_parts(slab)) {
    for (const SlabPart part : parts_of(wanted)) {
      KUTRACE_ASSIGN(ColumnReader from, unpacked(slab, part));
      what = what == nullptr ? bytes.take(part, from) : what;
    }
  } else {
    KUTRACE_ASSIGN(room_.front(), source_.slab(slab, std::move(room_.front())));
    ColumnReader from(room_.front());
    what = bytes.take_all(from);
  }
  open_.emplace(slab, wanted, bytes, tables_);
  if (what == nullptr) what = open_->reader.open(bytes);
  if (what == nullptr) return {};
  open_.reset();
  return fail(unfit(what, page_slab_id(slab)));
}

Result<ColumnReader> PageColumns::unpacked(std::size_t slab, SlabPart part) {
  std::vector<std::uint8_t>& room = room_[static_cast<std::size_t>(part)];
  KUTRACE_ASSIGN(room, source_.part(slab, part, std::move(room)));
  return ColumnReader(room);
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
  open_.reset();
  KUTRACE_ASSIGN(const std::vector<std::uint8_t> long_ones, source_.long_overlays());
  KUTRACE_TRY(overlays_of(long_ones, std::string(kLongBlock), take));
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    if (source_.in_parts(i)) {
      SlabBytes head;
      KUTRACE_ASSIGN(ColumnReader from, unpacked(i, SlabPart::kHead));
      const char* what = head.take(SlabPart::kHead, from);
      KUTRACE_ASSIGN(const ColumnReader rest, unpacked(i, SlabPart::kRest));
      if (what == nullptr) what = each_overlay(tables_, head, rest, take);
      if (what != nullptr) return fail(unfit(what, page_slab_id(i)));
    } else {
      KUTRACE_ASSIGN(room_.front(), source_.slab(i, std::move(room_.front())));
      KUTRACE_TRY(overlays_of(room_.front(), page_slab_id(i), take));
    }
  }
  return {};
}

// Those of a block that is there as a whole.
Status PageColumns::overlays_of(std::span<const std::uint8_t> bytes, const std::string& block,
                                const std::function<void(const Overlay&)>& take) const {
  ColumnReader from(bytes);
  SlabBytes columns;
  const char* what = columns.take_all(from);
  if (what == nullptr) what = each_overlay(tables_, columns, from, take);
  return what == nullptr ? Status() : fail(unfit(what, block));
}

}  // namespace kutrace::read
