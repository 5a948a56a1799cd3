// SPDX-License-Identifier: BSD-3-Clause
// Columns to spans, see page_slab.h and doc/page-format.md.
#include "read/page/page_slab.h"

#include <algorithm>
#include <utility>

#include "read/page/by_kind.h"
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

  // The next span, while there is one and nothing was wrong.
  bool next(Span& span) {
    if (!good_ || left_ == 0) return false;
    --left_;
    const std::uint64_t kind = take(kinds_, tables_.kinds.size(), good_);
    const std::uint64_t thread = take(threads_, tables_.threads.size(), good_);
    if (kind >= tables_.kinds.size() || thread >= tables_.threads.size() ||
        is_execution(tables_.kinds[kind].kind)) {
      good_ = false;
      return false;
    }
    span = tables_.kinds[kind];
    now_ = clock_.after(now_, clock_.length(starts_.next()));
    span.start = now_;
    span.duration = clock_.length(durations_.next());
    clock_.after(span.start, span.duration);
    const std::uint64_t cpu = take(cpus_, kMostCpus, good_);
    span.cpu = cpu == 0 ? kNoCpu : static_cast<CpuId>(cpu - 1);
    span.pid = tables_.threads[thread];
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
    if (is_arc(span.kind)) {
      if (other >= tables_.threads.size()) good_ = false;
      span.other = good_ ? tables_.threads[other] : kNoPid;
    }
    if (sparse_.args) span.arg = static_cast<std::uint32_t>(take(args_, kMost32, good_));
    if (sparse_.rpcs) span.rpc = static_cast<std::uint32_t>(take(rpcs_, kMost32, good_));
    if (sparse_.values) span.value = values_.next();
    if (values_.failed()) good_ = false;
    const std::uint64_t result = sparse_.results ? take(results_, 0x10000, good_) : 0;
    span.has_result = result != 0;
    span.result = low_result(static_cast<std::uint32_t>(result == 0 ? 0 : result - 1));
    if (sparse_.ipcs) span.ipc = static_cast<std::uint8_t>(take(ipcs_, 15, good_));
  }

  const PageTables& tables_;
  PageClock& clock_;
  std::uint64_t left_;
  Ns now_;
  ColumnReader kinds_{{}}, starts_{{}}, durations_{{}}, cpus_{{}}, threads_{{}}, others_{{}};
  ColumnReader args_{{}}, rpcs_{{}}, values_{{}}, results_{{}}, ipcs_{{}};
  Sparse sparse_;
  bool good_ = false;
};

// A column of places where something differs from what is assumed.
class Exceptions {
 public:
  explicit Exceptions(ColumnReader column) : column_(column) { advance(); }
  bool at(std::uint64_t position) const { return next_ == position; }
  ColumnReader& value() { return column_; }
  // After the value was taken.
  void advance() {
    const bool more = !column_.done();
    if (more) last_ += column_.next();
    next_ = more ? last_ : kNowhere;
  }
  bool good() const { return !column_.failed(); }

 private:
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  ColumnReader column_;
  std::uint64_t last_ = 0;
  std::uint64_t next_ = kNowhere;
};

struct Section {
  CpuId cpu = 0;
  std::uint64_t spans = 0;
  Ns start = 0;
};

// What CPUs did: one column after the other, then span by span.
class Execution {
 public:
  Execution(const PageTables& tables, PageClock& clock, std::vector<Span>& spans)
      : tables_(tables), clock_(clock), spans_(spans) {}

  bool read_sections(ColumnReader heads) {
    std::uint64_t left = heads.next();
    bool good = left <= heads.bytes_left();
    for (; good && left > 0; --left) {
      Section section;
      section.cpu = static_cast<CpuId>(take(heads, kMostCpus - 1, good));
      section.spans = take(heads, kSlabSpans, good);
      section.start = clock_.after(clock_.base(), clock_.length(heads.next()));
      count_ += section.spans;
      sections_.push_back(section);
    }
    return good && clock_.good() && !heads.failed() && count_ <= kSlabSpans;
  }

  bool read_kinds(ColumnReader column) {
    if (count_ > column.bytes_left()) return false;
    spans_.clear();
    kinds_.clear();
    counts_.assign(tables_.kinds.size(), 0);
    bool good = true;
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint64_t kind = take(column, kMost32, good);
      if (!good || kind >= tables_.kinds.size() || !is_execution(tables_.kinds[kind].kind)) {
        return false;
      }
      kinds_.push_back(static_cast<KindIndex>(kind));
      ++counts_[kind];
    }
    return true;
  }

  bool read_spans(ColumnReader& slab) {
    const auto all = [](std::size_t) { return true; };
    ByKind durations(slab.column(), counts_, ~std::uint64_t{0}, all);
    Exceptions gaps(slab.column());
    Exceptions threads(slab.column());
    ByKind args(slab.column(), counts_, kMost32,
                [this](std::size_t kind) { return kind_has_argument(tables_.kinds[kind].kind); });
    ByKind results(slab.column(), counts_, 0x10000, [this](std::size_t kind) {
      return tables_.kinds[kind].kind == SpanKind::kSyscall;
    });
    ByKind ipcs(slab.column(), counts_, 15, all);
    ByKind rpcs(slab.column(), counts_, kMost32, all);
    if (slab.failed() || !durations.good() || !args.good() || !results.good() || !ipcs.good() ||
        !rpcs.good()) {
      return false;
    }
    std::uint64_t position = 0;
    for (const Section& section : sections_) {
      Ns now = section.start;
      ThreadIndex running = kIdleThread;
      for (const std::uint64_t end = position + section.spans; position < end; ++position) {
        const KindIndex kind = kinds_[position];
        Span span = tables_.kinds[kind];
        if (gaps.at(position)) {
          now = clock_.after(now, clock_.signed_length(gaps.value().next_signed()));
          gaps.advance();
        }
        running = tables_.owners[kind].value_or(running);
        if (threads.at(position)) {
          bool good = true;
          running =
              static_cast<ThreadIndex>(take(threads.value(), tables_.threads.size() - 1, good));
          if (!good) return false;
          threads.advance();
        }
        span.cpu = section.cpu;
        span.pid = tables_.threads[running];
        span.thread = tables_.ids[running];
        span.start = now;
        span.duration = clock_.length(durations.next(kind));
        if (kind_has_argument(span.kind)) span.arg = static_cast<std::uint32_t>(args.next(kind));
        const std::uint64_t result = span.kind == SpanKind::kSyscall ? results.next(kind) : 0;
        span.has_result = result != 0;
        span.result = low_result(static_cast<std::uint32_t>(result == 0 ? 0 : result - 1));
        span.ipc = static_cast<std::uint8_t>(ipcs.next(kind));
        span.rpc = static_cast<std::uint32_t>(rpcs.next(kind));
        now = clock_.after(now, span.duration);
        spans_.push_back(span);
      }
    }
    return clock_.good() && gaps.good() && threads.good();
  }

  const std::vector<Section>& sections() const { return sections_; }
  PageCalls::Kinds kinds() const { return {kinds_, counts_}; }

 private:
  const PageTables& tables_;
  PageClock& clock_;
  std::vector<Span>& spans_;
  std::vector<Section> sections_;
  std::uint64_t count_ = 0;
  std::vector<KindIndex> kinds_;       // by position
  std::vector<std::uint32_t> counts_;  // spans of each kind
};

// Several rows of spans, each in order, as one.
class Merge {
  struct Row {
    std::size_t at = 0;
    std::size_t end = 0;
  };
  auto later() const {
    return [this](const Row& a, const Row& b) {
      return std::pair(spans_[a.at].start, a.at) > std::pair(spans_[b.at].start, b.at);
    };
  }

 public:
  Merge(const std::vector<Span>& spans, const std::vector<Section>& sections) : spans_(spans) {
    std::size_t at = 0;
    for (const Section& section : sections) {
      if (section.spans != 0) rows_.push_back({at, at + section.spans});
      at += section.spans;
    }
    std::make_heap(rows_.begin(), rows_.end(), later());
  }
  // The next span; null behind the last.
  const Span* peek() const { return rows_.empty() ? nullptr : &spans_[rows_.front().at]; }
  void pop() {
    std::pop_heap(rows_.begin(), rows_.end(), later());
    if (++rows_.back().at == rows_.back().end) {
      rows_.pop_back();
    } else {
      std::push_heap(rows_.begin(), rows_.end(), later());
    }
  }

 private:
  const std::vector<Span>& spans_;
  std::vector<Row> rows_;
};

// A slab up to its overlays.
const char* read_execution(ColumnReader& slab, const PageClock& clock, Execution& execution) {
  if (slab.failed() || !clock.good()) return "its unit and base";
  if (!execution.read_sections(slab.column())) return "its sections";
  if (!execution.read_kinds(slab.column())) return "its kinds";
  return execution.read_spans(slab) ? nullptr : "the columns of its spans";
}

}  // namespace

void PageSlabs::hand_on(Span overlay) {
  nest_.advance(overlay.start);
  if (overlay.kind == SpanKind::kWait) nest_.place(overlay);
  sink_.push(overlay);
}

const char* PageSlabs::read_long(std::span<const std::uint8_t> bytes) {
  ColumnReader slab(bytes);
  const std::uint64_t unit = slab.next();
  PageClock clock(unit, slab.next_signed());
  Execution execution(tables_, clock, spans_);
  if (const char* unfit = read_execution(slab, clock, execution)) return unfit;
  if (!spans_.empty()) return "its sections";
  Overlays overlays(slab.column(), tables_, clock);
  std::vector<Span> late;
  for (Span span; overlays.next(span);) {
    if (OverlayOrder::has_its_time(span)) {
      late.push_back(span);
    } else {
      sink_.push(span);
    }
  }
  if (slab.failed() || !overlays.good()) return "its overlays";
  overlays_.keep_long(std::move(late));
  if (!has_calls_) return nullptr;
  PageCalls calls(tables_, clock, last_call_);
  if (!calls.read(slab.column(), spans_, execution.kinds()) || slab.failed()) return "its calls";
  long_calls_ = calls.take_list();
  nest_.expect_long(long_calls_);
  return nullptr;
}

const char* PageSlabs::read(std::span<const std::uint8_t> bytes) {
  ColumnReader slab(bytes);
  const std::uint64_t unit = slab.next();
  PageClock clock(unit, slab.next_signed());
  Execution execution(tables_, clock, spans_);
  if (const char* unfit = read_execution(slab, clock, execution)) return unfit;
  Overlays overlays(slab.column(), tables_, clock);
  if (slab.failed() || !overlays.good()) return "its overlays";
  PageCalls calls(tables_, clock, last_call_);
  if (has_calls_ && (!calls.read(slab.column(), spans_, execution.kinds()) || slab.failed())) {
    return "its calls";
  }
  const CallList list = calls.take_list();
  nest_.expect(list);

  const auto to_sink = [this](const Span& span) { hand_on(span); };
  Merge merge(spans_, execution.sections());
  Span overlay;
  bool more = overlays.next(overlay);
  for (const Span* next = merge.peek(); next != nullptr; next = merge.peek()) {
    Span span = *next;
    for (; more && overlay.start <= span.start; more = overlays.next(overlay)) {
      overlays_.add(overlay);
    }
    overlays_.until(span.start, to_sink);
    nest_.advance(span.start);
    const bool is_whole =
        has_calls_ && calls.is_whole(static_cast<std::size_t>(next - spans_.data()), span);
    if (is_whole) {
      nest_.whole(span, PageCalls::whole(span));
    } else {
      if (is_call_kind(span.kind)) nest_.place(span);
      sink_.push(span);
    }
    merge.pop();
  }
  for (; more; more = overlays.next(overlay)) overlays_.add(overlay);
  overlays_.rest(to_sink);
  nest_.end_slab();
  return overlays.good() ? nullptr : "its overlays";
}

void PageSlabs::finish() {
  overlays_.finish([this](const Span& span) { hand_on(span); });
  nest_.finish();
}

}  // namespace kutrace::read
