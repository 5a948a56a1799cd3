// SPDX-License-Identifier: BSD-3-Clause
// Columns to what they stand for, see slab_decoder.h and doc/page-format.md.
#include "read/page/slab_decoder.h"

#include <vector>

#include "model/page_result.h"
#include "read/page/page_calls.h"
#include "read/page/page_numbers.h"
#include "read/page/row_merge.h"

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

void put_in_order(DecodedSlab& slab) {
  const SlabColumns& columns = slab.columns;
  std::vector<std::size_t> sizes;
  for (const SlabColumns::Section& section : columns.sections) sizes.push_back(section.spans);
  slab.order.reserve(columns.kinds.size());
  const auto start_of = [&columns](std::size_t position) { return columns.starts[position]; };
  for (RowMerge merge(sizes, start_of); !merge.over(); merge.pop()) {
    slab.order.push_back(
        {static_cast<std::uint32_t>(merge.place()), columns.sections[merge.row()].cpu});
  }
}

}  // namespace

const char* SlabDecoder::read(std::span<const std::uint8_t> bytes, DecodedSlab& slab) {
  ColumnReader column(bytes);
  SlabBytes parts;
  if (const char* const unfit = parts.take_all(column)) return unfit;
  PageClock clock(parts.unit, parts.base);
  SlabColumnReader executions(tables_, clock);
  if (const char* const unfit = executions.open(parts)) return unfit;
  if (const char* const unfit = executions.read(parts, {}, slab.columns)) return unfit;
  put_in_order(slab);
  Overlays overlays(column.column(), tables_, clock);
  for (Span span; overlays.next(span);) slab.overlays.add(span);
  slab.overlays.put_in_order();
  if (column.failed() || !overlays.good()) return "its overlays";
  slab.codes.assign(slab.columns.kinds.size(), CallPiece::kOfOther);
  slab.call_ids.assign(slab.columns.kinds.size(), CallId::kNone);
  if (!has_calls_) return nullptr;
  PageCalls calls(tables_, clock, last_call_, slab);
  return calls.read(column.column(), executions.counts()) && !column.failed() ? nullptr
                                                                              : "its calls";
}

void SlabDecoder::decode(std::span<const std::uint8_t> bytes, DecodedSlab& slab) {
  slab.unfit = read(bytes, slab);
}

void SlabDecoder::decode_long(std::span<const std::uint8_t> bytes, DecodedSlab& slab) {
  decode(bytes, slab);
  if (slab.unfit == nullptr && !slab.columns.kinds.empty()) slab.unfit = "its sections";
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

}  // namespace kutrace::read
