// SPDX-License-Identifier: BSD-3-Clause
// Header, then block after block, see page_reader.h.
#include "read/page/page_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "read/page/page_columns.h"
#include "read/page/page_files.h"
#include "read/page/page_lives.h"
#include "read/page/page_numbering.h"
#include "read/page/page_slab.h"

namespace kutrace::read {

namespace {

// Hands spans on as long as each CPU's follow one another within the recorded time.
class Tiling : public SpanStage {
 public:
  Tiling(const TraceInfo& info, SpanSink& next) : SpanStage(next), end_(info.end) {
    for (const CpuId cpu : info.cpus) reached_.emplace(cpu, info.begin);
  }

  void push(const Span& span) override {
    if (is_execution(span.kind) && !extend(span)) return;
    next().push(span);
  }
  // Whether all was well so far; at the end also whether every CPU's time is covered.
  bool broken() const { return broken_; }
  bool whole() const {
    for (const auto& [cpu, reached] : reached_) {
      if (reached != end_) return false;
    }
    return !broken_;
  }

 private:
  bool extend(const Span& span) {
    const auto found = reached_.find(span.cpu);
    if (broken_ || found == reached_.end() || span.start != found->second ||
        span.duration > end_ - span.start) {
      broken_ = true;
      return false;
    }
    found->second += span.duration;
    return true;
  }

  Ns end_;
  std::unordered_map<CpuId, Ns> reached_;
  bool broken_ = false;
};

CallsTold calls_told(const PageFacts& facts) {
  if (!facts.calls) return CallsTold::kNo;
  return facts.stacks ? CallsTold::kWithStacks : CallsTold::kWithoutStacks;
}

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
  PageSlabs slabs(tables, calls_told(facts_), tiling);
  const auto judge = [&](const char* unfit, const std::string& id) -> Status {
    if (unfit != nullptr) {
      return fail(source_->error(fmt::format("{} holds no spans: {} do not fit", id, unfit), id));
    }
    if (tiling.broken()) {
      return fail(
          source_->error(fmt::format("the spans of {} do not follow those before", id), id));
    }
    return {};
  };
  KUTRACE_ASSIGN(const std::vector<std::uint8_t> overlays, source_->long_overlays());
  KUTRACE_TRY(judge(slabs.read_long(overlays), std::string(kLongBlock)));
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < facts_.slabs.size(); ++i) {
    KUTRACE_ASSIGN(bytes, source_->slab(i, std::move(bytes)));
    KUTRACE_TRY(judge(slabs.read(bytes), page_slab_id(i)));
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
