// SPDX-License-Identifier: BSD-3-Clause
// Header, then block after block, see page_reader.h.
#include "read/page/page_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/made_ahead.h"
#include "read/page/page_columns.h"
#include "read/page/page_files.h"
#include "read/page/page_lives.h"
#include "read/page/page_numbering.h"
#include "read/page/page_slab.h"
#include "read/page/slab_decoder.h"

namespace kutrace::read {

namespace {

// Hands spans on as long as each CPU's follow one another within the recorded time.
class Tiling : public SpanStage {
 public:
  Tiling(const TraceInfo& info, SpanSink& next) : SpanStage(next), end_(info.end) {
    for (const CpuId cpu : info.cpus) {
      if (cpu >= reached_.size()) reached_.resize(cpu + std::size_t{1});
      reached_[cpu] = info.begin;
    }
  }

  void push(const Span& span) override {
    if (is_execution(span.kind) && !extend(span)) return;
    next().push(span);
  }
  // Whether all was well so far; at the end also whether every CPU's time is covered.
  bool broken() const { return broken_; }
  bool whole() const {
    const auto is_covered = [this](std::optional<Ns> reached) {
      return reached.value_or(end_) == end_;
    };
    return !broken_ && std::ranges::all_of(reached_, is_covered);
  }

 private:
  bool extend(const Span& span) {
    const bool follows = !broken_ && span.cpu < reached_.size() &&
                         reached_[span.cpu] == span.start && span.duration <= end_ - span.start;
    broken_ = !follows;
    if (follows) *reached_[span.cpu] += span.duration;
    return follows;
  }

  Ns end_;
  std::vector<std::optional<Ns>> reached_;  // by CPU
  bool broken_ = false;
};

// Slabs that are decoded before they are asked for: one, while another one is handed on.
constexpr std::size_t kSlabsAhead = 2;

// A slab, or why there is none.
struct ReadSlab {
  DecodedSlab slab;
  std::optional<Error> error;

  void clear() {
    slab.clear();
    error.reset();
  }
};

}  // namespace

Result<PageSpans> PageSpans::open(std::string_view file, std::string name) {
  return open(std::make_unique<PageBlocks>(file, std::move(name)));
}

Result<PageSpans> PageSpans::open(std::unique_ptr<PageSource> source) {
  PageSpans page(std::move(source));
  KUTRACE_ASSIGN(const std::string header, page.source_->header());
  Result<PageFacts> facts = read_page_facts(header);
  if (!facts) {
    Error error = page.source_->error(facts.error().sentence, kHeaderBlock);
    error.causes = facts.error().causes;
    return fail(std::move(error));
  }
  page.facts_ = std::move(*facts);
  KUTRACE_TRY(page.source_->locate(page.facts_));
  const std::string saved = page.source_->saved();
  if (!saved.empty()) page.facts_.info.facts.add(fact::kSaved, saved);
  return page;
}

std::unique_ptr<SpanSlabs> PageSpans::slabs(NameTable& names, const Counters& opened) const {
  return std::make_unique<PageColumns>(*source_, facts_, names, opened);
}

Result<TraceInfo> PageSpans::replay(NameTable& names, SpanSink& sink, const Counters& opened,
                                    const std::function<void(double)>& progress) const {
  const PageNumbering numbering(facts_, names);
  TraceInfo info = numbering.info(facts_, opened);
  sink.begin(info);
  const PageTables tables = numbering.tables(facts_);
  KUTRACE_ASSIGN(std::vector<std::uint8_t> told, source_->files());
  PageFiles files(std::move(told), tables, names, sink);
  PageLives lives(facts_.threads, numbering.names_of(facts_.threads), files);
  Tiling tiling(info, lives);
  PageSlabs slabs(tables, facts_.calls && facts_.stacks, tiling);
  const auto judge = [&](const DecodedSlab& slab, const std::string& id) -> Status {
    if (slab.unfit == nullptr) return {};
    return fail(
        source_->error(fmt::format("{} holds no spans: {} do not fit", id, slab.unfit), id));
  };
  SlabDecoder decoder(tables, facts_.calls);
  KUTRACE_ASSIGN(std::vector<std::uint8_t> bytes, source_->long_overlays());
  DecodedSlab long_ones;
  decoder.decode_long(bytes, long_ones);
  KUTRACE_TRY(judge(long_ones, std::string(kLongBlock)));
  slabs.keep_long(std::move(long_ones));
  // From here on the source and the decoder are the thread's that reads ahead.
  MadeAhead<ReadSlab> ahead(
      [&, next = std::size_t{0}](ReadSlab& read) mutable {
        if (next == facts_.slabs.size()) return false;
        Result<std::vector<std::uint8_t>> unpacked = source_->slab(next++, std::move(bytes));
        if (unpacked) {
          bytes = std::move(*unpacked);
          decoder.decode(bytes, read.slab);
        } else {
          read.error = std::move(unpacked.error());
        }
        return true;
      },
      kSlabsAhead);
  ReadSlab read;
  for (std::size_t i = 0; i < facts_.slabs.size() && ahead.take(read); ++i) {
    const std::string id = page_slab_id(i);
    if (read.error) return fail(std::move(*read.error));
    KUTRACE_TRY(judge(read.slab, id));
    slabs.push(read.slab);
    if (tiling.broken()) {
      return fail(
          source_->error(fmt::format("the spans of {} do not follow those before", id), id));
    }
    if (progress) {
      progress(static_cast<double>(i + 1) / static_cast<double>(facts_.slabs.size()));
    }
  }
  slabs.finish();
  lives.finish();
  if (const char* const unfit = files.unfit()) {
    return fail(source_->error(
        fmt::format("{} holds no files of calls: {} do not fit", kFilesBlock, unfit), kFilesBlock));
  }
  if (!tiling.whole()) {
    return fail(source_->error("the spans of the page do not reach its end", kHeaderBlock));
  }
  sink.end(info);
  return info;
}

}  // namespace kutrace::read
