// SPDX-License-Identifier: BSD-3-Clause
// One column after the other, see slab_columns.h and doc/page-format.md.
#include "read/page/slab_columns.h"

#include "read/page/by_kind.h"

namespace kutrace::read {

namespace {

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

}  // namespace

bool SlabColumnReader::read_sections(ColumnReader heads) {
  std::uint64_t left = heads.next();
  bool good = left <= heads.bytes_left();
  columns_.sections.clear();
  for (; good && left > 0; --left) {
    SlabColumns::Section section;
    section.cpu = static_cast<CpuId>(take(heads, kMostCpus - 1, good));
    section.spans = static_cast<std::size_t>(take(heads, kSlabSpans, good));
    starts_of_sections_.push_back(clock_.after(clock_.base(), clock_.length(heads.next())));
    count_ += section.spans;
    columns_.sections.push_back(section);
  }
  return good && clock_.good() && !heads.failed() && count_ <= kSlabSpans;
}

bool SlabColumnReader::read_kinds(ColumnReader column) {
  if (count_ > column.bytes_left()) return false;
  columns_.kinds.resize(count_);
  counts_.assign(tables_.kinds.size(), 0);
  std::vector<std::uint8_t> executes;
  for (const Span& kind : tables_.kinds) executes.push_back(is_execution(kind.kind) ? 1 : 0);
  for (std::uint32_t& kind : columns_.kinds) {
    const std::uint64_t number = column.next();
    if (number >= executes.size() || executes[number] == 0) return false;
    kind = static_cast<KindIndex>(number);
    ++counts_[number];
  }
  return !column.failed();
}

bool SlabColumnReader::read_times(ColumnReader durations, ColumnReader gaps, unsigned wanted) {
  if ((wanted & (SlabColumns::kStarts | SlabColumns::kDurations)) == 0) return true;
  ByKind lengths(durations, counts_, ~std::uint64_t{0}, [](std::size_t) { return true; }, numbers_);
  if (!lengths.good()) return false;
  columns_.durations.resize(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    columns_.durations[i] = clock_.length(lengths.next(columns_.kinds[i]));
  }
  if ((wanted & SlabColumns::kStarts) == 0) return clock_.good();
  columns_.starts.resize(count_);
  Exceptions gap(gaps);
  std::size_t position = 0;
  for (std::size_t s = 0; s < columns_.sections.size(); ++s) {
    Ns now = starts_of_sections_[s];
    const std::size_t end = position + columns_.sections[s].spans;
    for (; position < end; ++position) {
      if (gap.at(position)) {
        now = clock_.after(now, clock_.signed_length(gap.value().next_signed()));
        gap.advance();
      }
      columns_.starts[position] = now;
      now = clock_.after(now, columns_.durations[position]);
    }
  }
  return clock_.good() && gap.good();
}

bool SlabColumnReader::read_threads(ColumnReader column, bool wanted) {
  if (!wanted) return true;
  columns_.threads.resize(count_);
  Exceptions other(column);
  bool good = true;
  std::size_t position = 0;
  for (const SlabColumns::Section& section : columns_.sections) {
    ThreadIndex running = kIdleThread;
    const std::size_t end = position + section.spans;
    for (; position < end; ++position) {
      running = tables_.owners[columns_.kinds[position]].value_or(running);
      if (other.at(position)) {
        running = static_cast<ThreadIndex>(take(other.value(), tables_.pids.size() - 1, good));
        if (!good) return false;
        other.advance();
      }
      columns_.threads[position] = running;
    }
  }
  return other.good();
}

template <typename Number, typename Has>
bool SlabColumnReader::read_numbers(ColumnReader column, std::uint64_t most, Has has,
                                    std::vector<Number>& numbers) {
  ByKind values(column, counts_, most, has, numbers_);
  if (!values.good()) return false;
  numbers.assign(count_, 0);
  if (column.done()) return true;
  for (std::size_t i = 0; i < count_; ++i) {
    const KindIndex kind = columns_.kinds[i];
    if (has(kind)) numbers[i] = static_cast<Number>(values.next(kind));
  }
  return true;
}

const char* SlabColumnReader::read(ColumnReader& slab, unsigned wanted) {
  if (slab.failed() || !clock_.good()) return "its unit and base";
  if (!read_sections(slab.column())) return "its sections";
  if (!read_kinds(slab.column())) return "its kinds";
  const auto all = [](std::size_t) { return true; };
  const auto has_argument = [this](std::size_t kind) {
    return kind_has_argument(tables_.kinds[kind].kind);
  };
  const auto has_result = [this](std::size_t kind) {
    return tables_.kinds[kind].kind == SpanKind::kSyscall;
  };
  const auto wants = [wanted](unsigned column) { return (wanted & column) != 0; };
  const ColumnReader durations = slab.column();
  const ColumnReader gaps = slab.column();
  const ColumnReader threads = slab.column();
  const ColumnReader args = slab.column();
  const ColumnReader results = slab.column();
  const ColumnReader ipcs = slab.column();
  const ColumnReader rpcs = slab.column();
  const bool good =
      !slab.failed() && read_times(durations, gaps, wanted) &&
      read_threads(threads, wants(SlabColumns::kThreads)) &&
      (!wants(SlabColumns::kArgs) || read_numbers(args, kMost32, has_argument, columns_.args)) &&
      (!wants(SlabColumns::kResults) ||
       read_numbers(results, 0x10000, has_result, columns_.results)) &&
      (!wants(SlabColumns::kIpcs) || read_numbers(ipcs, 15, all, columns_.ipcs)) &&
      (!wants(SlabColumns::kRpcs) || read_numbers(rpcs, kMost32, all, columns_.rpcs));
  return good ? nullptr : "the columns of its spans";
}

}  // namespace kutrace::read
