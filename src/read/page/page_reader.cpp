// SPDX-License-Identifier: BSD-3-Clause
// Header, then block after block, see page_reader.h.
#include "read/page/page_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/add_time.h"
#include "model/call.h"
#include "read/page/page_slab.h"

namespace kutrace::read {

namespace {

// Names get the numbers of the reader's table.
class Numbering {
 public:
  Numbering(const PageFacts& facts, NameTable& names) {
    for (const std::string& name : facts.names) ids_.push_back(names.intern(name));
  }
  void threads(const std::vector<PageThreadFacts>& rows, TraceInfo& info) const {
    for (const PageThreadFacts& row : rows) {
      if (!row.known) continue;
      ThreadInfo& thread = info.threads[row.pid];
      thread = row.info;
      thread.name = ids_[row.name];
    }
  }
  NameId name(std::uint32_t number) const { return ids_[number]; }
  PageTables tables(const PageFacts& facts) const {
    PageTables tables;
    for (const PageKindFacts& row : facts.kinds) {
      Span span;
      span.kind = row.kind;
      span.event = row.event;
      span.name = ids_[row.name];
      tables.kinds.push_back(span);
      tables.owners.push_back(row.names_thread ? std::optional(row.thread) : std::nullopt);
    }
    for (const PageThreadFacts& row : facts.threads) {
      tables.threads.push_back(row.pid);
      tables.processes.push_back(row.info.process != kNoPid ? row.info.process : row.pid);
    }
    return tables;
  }

 private:
  std::vector<NameId> ids_;
};

// Hands spans on as long as each CPU's follow one another within the recorded time.
class Tiling : public SpanStage {
 public:
  Tiling(const TraceInfo& info, SpanSink& next) : SpanStage(next), end_(info.end) {
    for (const CpuId cpu : info.cpus) reached_.emplace(cpu, info.begin);
  }

  void push(const Span& span) override {
    if (is_execution(span.kind) && !extend(span)) return;
    sum(span);
    next().push(span);
  }
  // When threads lived stands in the page, what they did there is its spans.
  void hand_on_lives(const std::vector<PageThreadFacts>& threads, const Numbering& numbering) {
    sums_.resize(threads.size());
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const PageThreadFacts& thread = threads[i];
      if (thread.end < thread.begin) continue;
      next().life({.thread = ThreadId{static_cast<std::uint32_t>(i)},
                   .pid = thread.pid,
                   .process = thread.info.process,
                   .parent = thread.info.parent,
                   .name = numbering.name(thread.name),
                   .begin = thread.begin,
                   .end = thread.end,
                   .executing = sums_[i].executing,
                   .waiting = sums_[i].waiting});
    }
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

  struct Sums {
    Ns executing = 0;
    Ns waiting = 0;
  };

  void sum(const Span& span) {
    const auto thread = static_cast<std::size_t>(span.thread);
    if (thread == 0) return;
    if (thread >= sums_.size()) sums_.resize(thread + 1);
    add_time(is_execution(span.kind) ? sums_[thread].executing : sums_[thread].waiting,
             span.duration);
  }

  Ns end_;
  std::vector<Sums> sums_;  // by thread
  std::unordered_map<CpuId, Ns> reached_;
  bool broken_ = false;
};

// Calls that stand before their pieces wait until all else was handed on.
class LateCalls : public SpanStage {
 public:
  using SpanStage::SpanStage;

  void call(const Call& call) override {
    held_.push_back({call, {call.waits.begin(), call.waits.end()}});
  }
  void hand_on() {
    std::ranges::stable_sort(held_, {}, [](const Held& held) { return held.call.end; });
    for (Held& held : held_) {
      held.call.waits = held.waits;
      next().call(held.call);
    }
  }

 private:
  struct Held {
    Call call;
    std::vector<WaitTime> waits;
  };

  std::vector<Held> held_;
};

std::string slab_id(std::size_t number) { return fmt::format("{}{}", kSlabBlock, number); }

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

Result<TraceInfo> PageSpans::replay(NameTable& names, SpanSink& sink, const Counters& opened,
                                    const std::function<void(double)>& progress) const {
  TraceInfo info = facts_.info;
  const Numbering numbering(facts_, names);
  numbering.threads(facts_.threads, info);
  numbering.threads(facts_.idle_threads, info);
  info.counters.add(opened);
  sink.begin(info);
  const PageTables tables = numbering.tables(facts_);
  Tiling tiling(info, sink);
  LateCalls late(tiling);
  PageSlab slab(tables, facts_.calls);
  const auto read = [&](const std::vector<std::uint8_t>& bytes, const std::string& id,
                        SpanSink& to) -> Status {
    const char* unfit = slab.read(bytes, to);
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
  KUTRACE_TRY(read(overlays, std::string(kLongBlock), late));
  for (std::size_t i = 0; i < facts_.slabs.size(); ++i) {
    KUTRACE_ASSIGN(const std::vector<std::uint8_t> bytes, source_->slab(i));
    KUTRACE_TRY(read(bytes, slab_id(i), tiling));
    if (progress) {
      progress(static_cast<double>(i + 1) / static_cast<double>(facts_.slabs.size()));
    }
  }
  late.hand_on();
  tiling.hand_on_lives(facts_.threads, numbering);
  if (!tiling.whole()) {
    return fail(source_->error("the spans of the page do not reach its end", kHeaderBlock));
  }
  sink.end(info);
  return info;
}

}  // namespace kutrace::read
