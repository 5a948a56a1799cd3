// SPDX-License-Identifier: BSD-3-Clause
// Columns to spans, see page_slab.h and doc/page-format.md.
#include "read/page/page_slab.h"

#include <optional>
#include <utility>

#include "base/merge_tree.h"
#include "model/page_result.h"
#include "read/page/page_calls.h"
#include "read/page/page_numbers.h"

namespace kutrace::read {

namespace {

// The overlays of a slab, by start.
class Overlays {
 public:
  Overlays(ColumnReader column, const PageTables& tables, PageClock& clock)
      : tables_(tables), clock_(clock), left_(column.next()), now_(clock.base()) {
    for (ColumnReader* part : {&kinds_, &starts_, &durations_, &cpus_, &threads_, &others_, &args_,
                               &rpcs_, &values_, &results_, &ipcs_}) {
      *part = column.column();
    }
    good_ = !column.failed() && left_ <= kinds_.bytes_left();
    sparse_ = {!others_.done(), !args_.done(),    !rpcs_.done(),
               !values_.done(), !results_.done(), !ipcs_.done()};
  }

  bool good() const { return good_; }

  // Where the last one's kind, thread and woken thread stand in the tables.
  std::uint32_t kind() const { return kind_; }
  std::uint32_t thread() const { return thread_; }
  std::uint32_t other() const { return other_; }

  // The next span, while there is one and nothing was wrong.
  bool next(Span& span) {
    if (!good_ || left_ == 0) return false;
    --left_;
    const std::uint64_t kind = take(kinds_, tables_.kinds.size(), good_);
    const std::uint64_t thread = take(threads_, tables_.pids.size(), good_);
    if (kind >= tables_.kinds.size() || thread >= tables_.pids.size() ||
        is_execution(tables_.kinds[kind].kind)) {
      good_ = false;
      return false;
    }
    kind_ = static_cast<std::uint32_t>(kind);
    thread_ = static_cast<std::uint32_t>(thread);
    span = tables_.kinds[kind];
    now_ = clock_.after(now_, clock_.length(starts_.next()));
    span.start = now_;
    span.duration = clock_.length(durations_.next());
    clock_.after(span.start, span.duration);
    const std::uint64_t cpu = take(cpus_, kMostCpus, good_);
    span.cpu = cpu == 0 ? kNoCpu : static_cast<CpuId>(cpu - 1);
    span.pid = tables_.pids[thread];
    const bool of_life = span.kind == SpanKind::kWait || span.kind == SpanKind::kSample;
    if (of_life) span.thread = tables_.ids[thread];
    if (span.kind == SpanKind::kSample) span.other = tables_.processes[thread];
    fill_sparse(span);
    good_ = good_ && clock_.good() && !starts_.failed() && !durations_.failed();
    return good_;
  }

 private:
  struct Sparse {
    bool others = false;
    bool args = false;
    bool rpcs = false;
    bool values = false;
    bool results = false;
    bool ipcs = false;
  };

  void fill_sparse(Span& span) {
    const std::uint64_t other = sparse_.others ? take(others_, kMost32, good_) : kIdleThread;
    if (sparse_.args) span.arg = static_cast<std::uint32_t>(take(args_, kMost32, good_));
    if (is_arc(span.kind)) {
      if (other >= tables_.pids.size()) good_ = false;
      if (span.arg >= kMostCpus) good_ = false;
      other_ = good_ ? static_cast<std::uint32_t>(other) : kNoThread;
      span.other = tables_.pids[other_];
    }
    if (sparse_.rpcs) span.rpc = static_cast<std::uint32_t>(take(rpcs_, kMost32, good_));
    if (sparse_.values) span.value = values_.next();
    if (values_.failed()) good_ = false;
    const std::uint64_t result = sparse_.results ? take(results_, kMostResult, good_) : 0;
    span.has_result = result != 0;
    span.result = result_of_page(result);
    if (sparse_.ipcs) span.ipc = static_cast<std::uint8_t>(take(ipcs_, 15, good_));
  }

  const PageTables& tables_;
  PageClock& clock_;
  std::uint64_t left_;
  Ns now_;
  ColumnReader kinds_{{}}, starts_{{}}, durations_{{}}, cpus_{{}}, threads_{{}}, others_{{}};
  ColumnReader args_{{}}, rpcs_{{}}, values_{{}}, results_{{}}, ipcs_{{}};
  Sparse sparse_;
  std::uint32_t kind_ = 0;
  std::uint32_t thread_ = kNoThread;
  std::uint32_t other_ = kNoThread;
  bool good_ = false;
};

// What CPUs did, span by span.
class Execution {
 public:
  Execution(const PageTables& tables, PageClock& clock, SlabColumns& columns)
      : tables_(tables), columns_(columns), reader_(tables, clock) {}

  const char* read(const SlabBytes& bytes, std::vector<Span>& spans) {
    if (const char* const unfit = reader_.open(bytes)) return unfit;
    if (const char* const unfit = reader_.read(bytes, {}, columns_)) return unfit;
    spans.clear();
    std::size_t at = 0;
    for (const SlabColumns::Section& section : columns_.sections) {
      for (const std::size_t end = at + section.spans; at < end; ++at) {
        Span& span = spans.emplace_back(tables_.kinds[columns_.kinds[at]]);
        const ThreadIndex thread = columns_.threads[at];
        const std::uint32_t result = columns_.results[at];
        span.cpu = section.cpu;
        span.pid = tables_.pids[thread];
        span.thread = tables_.ids[thread];
        span.start = columns_.starts[at];
        span.duration = columns_.durations[at];
        span.arg = columns_.args[at];
        span.has_result = result != 0;
        span.result = result_of_page(result);
        span.ipc = columns_.ipcs[at];
        span.rpc = columns_.rpcs[at];
      }
    }
    return nullptr;
  }

  const std::vector<SlabColumns::Section>& sections() const { return columns_.sections; }
  PageCalls::Kinds kinds() const { return {reader_.kinds(), reader_.counts()}; }

 private:
  const PageTables& tables_;
  SlabColumns& columns_;
  SlabColumnReader reader_;
};

// Several rows of spans, each in order, as one.
class Merge {
 public:
  Merge(const std::vector<Span>& spans, const std::vector<SlabColumns::Section>& sections)
      : spans_(spans) {
    std::vector<std::optional<Ns>> starts;
    std::size_t at = 0;
    for (const SlabColumns::Section& section : sections) {
      rows_.push_back({at, at + section.spans});
      starts.push_back(section.spans == 0 ? std::nullopt : std::optional(spans[at].start));
      at += section.spans;
    }
    tree_.start(starts);
  }
  // The position of the next span, while not over.
  bool over() const { return tree_.over(); }
  std::size_t next() const { return rows_[tree_.first()].at; }
  void pop() {
    Row& row = rows_[tree_.first()];
    if (++row.at == row.end) {
      tree_.ends();
    } else {
      tree_.goes_on(spans_[row.at].start);
    }
  }

 private:
  struct Row {
    std::size_t at = 0;
    std::size_t end = 0;
  };

  const std::vector<Span>& spans_;
  std::vector<Row> rows_;
  MergeTree tree_;
};

}  // namespace

void PageSlabs::hand_on(Span overlay) {
  nest_.advance(overlay.start);
  if (overlay.kind == SpanKind::kWait) nest_.place(overlay);
  sink_.push(overlay);
}

const char* PageSlabs::read_long(std::span<const std::uint8_t> bytes) {
  ColumnReader slab(bytes);
  SlabBytes columns;
  if (const char* unfit = columns.take_all(slab)) return unfit;
  PageClock clock(columns.unit, columns.base);
  Execution execution(tables_, clock, columns_);
  if (const char* unfit = execution.read(columns, spans_)) return unfit;
  if (!spans_.empty()) return "its sections";
  Overlays overlays(slab.column(), tables_, clock);
  std::vector<Span> of_all;
  for (Span span; overlays.next(span);) of_all.push_back(span);
  if (slab.failed() || !overlays.good()) return "its overlays";
  overlays_.keep_long(std::move(of_all));
  if (!has_calls_) return nullptr;
  PageCalls calls(tables_, clock, last_call_);
  if (!calls.read(slab.column(), spans_, execution.kinds()) || slab.failed()) return "its calls";
  long_calls_ = calls.take_list();
  nest_.expect_long(long_calls_);
  return nullptr;
}

const char* PageSlabs::read(std::span<const std::uint8_t> bytes) {
  ColumnReader slab(bytes);
  SlabBytes columns;
  if (const char* unfit = columns.take_all(slab)) return unfit;
  PageClock clock(columns.unit, columns.base);
  Execution execution(tables_, clock, columns_);
  if (const char* unfit = execution.read(columns, spans_)) return unfit;
  Overlays overlays(slab.column(), tables_, clock);
  overlays_.begin_slab();
  for (Span span; overlays.next(span);) overlays_.add(span);
  overlays_.put_in_order();
  if (slab.failed() || !overlays.good()) return "its overlays";
  PageCalls calls(tables_, clock, last_call_);
  if (has_calls_ && (!calls.read(slab.column(), spans_, execution.kinds()) || slab.failed())) {
    return "its calls";
  }
  const CallList list = calls.take_list();
  nest_.expect(list);

  const auto to_sink = [this](const Span& span) { hand_on(span); };
  for (Merge merge(spans_, execution.sections()); !merge.over(); merge.pop()) {
    const std::size_t position = merge.next();
    Span span = spans_[position];
    overlays_.until(span.start, to_sink);
    nest_.advance(span.start);
    if (has_calls_ && calls.is_whole(position, span)) {
      nest_.whole(span, PageCalls::whole(span));
    } else {
      if (is_call_kind(span.kind)) nest_.place(span);
      sink_.push(span);
    }
  }
  overlays_.rest(to_sink);
  nest_.end_slab();
  return nullptr;
}

const char* each_overlay(const PageTables& tables, const SlabBytes& head, ColumnReader rest,
                         const std::function<void(const SpanSlabs::Overlay&)>& take) {
  PageClock clock(head.unit, head.base);
  Overlays overlays(rest.column(), tables, clock);
  SpanSlabs::Overlay overlay;
  while (overlays.next(overlay.span)) {
    overlay.kind = overlays.kind();
    overlay.thread = overlays.thread();
    overlay.other = overlays.other();
    take(overlay);
  }
  return rest.failed() || !clock.good() || !overlays.good() ? "its overlays" : nullptr;
}

void PageSlabs::finish() {
  overlays_.finish([this](const Span& span) { hand_on(span); });
  nest_.finish();
}

}  // namespace kutrace::read
