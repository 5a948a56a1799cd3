// SPDX-License-Identifier: BSD-3-Clause
// One column after the other, see slab_columns.h and doc/page-format.md.
#include "read/page/slab_columns.h"

#include <algorithm>
#include <cstring>

namespace kutrace::read {

namespace {

// A column of places where something differs from what is assumed.
class Exceptions {
 public:
  explicit Exceptions(ColumnReader column) : column_(column) { advance(); }
  bool at(std::uint64_t position) const { return next_ == position; }
  // Without those in front of it, whose values are numbers.
  void pass(std::uint64_t position) {
    while (next_ < position) {
      column_.next();
      advance();
    }
  }
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

const char* SlabBytes::take(SlabPart part, ColumnReader& from) {
  const auto columns = [&from](auto*... all) { ((*all = from.column()), ...); };
  switch (part) {
    case SlabPart::kHead:
      unit = from.next();
      base = from.next_signed();
      columns(&sections, &kinds);
      break;
    case SlabPart::kDurations:
      columns(&durations);
      break;
    case SlabPart::kGapsAndThreads:
      columns(&gaps, &threads);
      break;
    case SlabPart::kArguments:
      columns(&args);
      break;
    case SlabPart::kResults:
      columns(&results, &ipcs, &rpcs);
      break;
    case SlabPart::kRest:
      break;
  }
  return from.failed() ? "the columns of its spans" : nullptr;
}

const char* SlabBytes::take_all(ColumnReader& slab) {
  const char* unfit = nullptr;
  for (std::size_t part = 0; part < kSlabParts && unfit == nullptr; ++part) {
    unfit = take(static_cast<SlabPart>(part), slab);
  }
  return unfit;
}

bool SlabColumnReader::read_sections(ColumnReader heads) {
  std::uint64_t left = heads.next();
  bool good = left <= heads.bytes_left();
  sections_.clear();
  std::size_t count = 0;
  for (; good && left > 0; --left) {
    SlabColumns::Section section;
    section.cpu = static_cast<CpuId>(take(heads, kMostCpus - 1, good));
    section.spans = static_cast<std::size_t>(take(heads, kSlabSpans, good));
    starts_of_sections_.push_back(clock_.after(clock_.base(), clock_.length(heads.next())));
    first_rows_.push_back(count);
    count += section.spans;
    sections_.push_back(section);
  }
  first_rows_.push_back(count);
  return good && clock_.good() && !heads.failed() && count <= kSlabSpans;
}

bool SlabColumnReader::read_kinds(ColumnReader column) {
  const std::size_t count = first_rows_.back();
  if (count > column.bytes_left()) return false;
  kinds_.resize(count);
  counts_.assign(tables_.kinds.size(), 0);
  for (std::uint32_t& kind : kinds_) {
    const std::uint64_t number = column.next_short();
    if (number >= counts_.size()) return false;
    kind = static_cast<KindIndex>(number);
    ++counts_[number];
  }
  for (std::size_t kind = 0; kind < counts_.size(); ++kind) {
    if (counts_[kind] != 0 && !is_execution(tables_.kinds[kind].kind)) return false;
  }
  return !column.failed();
}

// Goes on from where it was asked for before.
void SlabColumnReader::count_before(std::size_t section) {
  if (section < before_section_ || before_.empty()) {
    before_.assign(counts_.size(), 0);
    before_section_ = 0;
  }
  for (std::size_t i = first_rows_[before_section_]; i < first_rows_[section]; ++i) {
    ++before_[kinds_[i]];
  }
  before_section_ = section;
}

template <typename Has>
ByKind& SlabColumnReader::sorted(Sorted& which, ColumnReader column, std::uint64_t most, Has has) {
  if (!which.values || which.section != first_) {
    count_before(first_);
    which.values.emplace(column, counts_, before_, most, has);
  }
  which.section = end_;
  return *which.values;
}

bool SlabColumnReader::read_durations(ColumnReader column, std::vector<Ns>& durations) {
  ByKind& lengths = sorted(durations_, column, ~std::uint64_t{0}, [](std::size_t) { return true; });
  if (!lengths.good()) return false;
  durations.resize(first_rows_.back());
  for (std::size_t i = rows_.first; i < rows_.end; ++i) {
    durations[i] = clock_.length(lengths.next(kinds_[i]));
  }
  return lengths.good() && clock_.good();
}

bool SlabColumnReader::read_starts(ColumnReader gaps, SlabColumns& columns) {
  columns.starts.resize(first_rows_.back());
  Exceptions gap(gaps);
  gap.pass(rows_.first);
  std::size_t position = rows_.first;
  for (std::size_t s = first_; s < end_; ++s) {
    Ns now = starts_of_sections_[s];
    for (; position < first_rows_[s + 1]; ++position) {
      if (gap.at(position)) {
        now = clock_.after(now, clock_.signed_length(gap.value().next_signed()));
        gap.advance();
      }
      columns.starts[position] = now;
      now = clock_.after(now, columns.durations[position]);
    }
  }
  return clock_.good() && gap.good();
}

bool SlabColumnReader::read_threads(ColumnReader column, std::vector<ThreadIndex>& threads) {
  threads.resize(first_rows_.back());
  Exceptions other(column);
  other.pass(rows_.first);
  bool good = true;
  std::size_t position = rows_.first;
  for (std::size_t s = first_; s < end_; ++s) {
    ThreadIndex running = kIdleThread;
    for (; position < first_rows_[s + 1]; ++position) {
      running = tables_.owners[kinds_[position]].value_or(running);
      if (other.at(position)) {
        running = static_cast<ThreadIndex>(take(other.value(), tables_.pids.size() - 1, good));
        if (!good) return false;
        other.advance();
      }
      threads[position] = running;
    }
  }
  return other.good();
}

template <typename Number, typename Has>
bool SlabColumnReader::read_numbers(Sorted& which, ColumnReader column, std::uint64_t most, Has has,
                                    std::vector<Number>& numbers) {
  numbers.resize(first_rows_.back());
  const std::span rows = std::span(numbers).subspan(rows_.first, rows_.end - rows_.first);
  if (column.done()) {
    std::ranges::fill(rows, Number{0});
    return true;
  }
  ByKind& values = sorted(which, column, most, has);
  if (!values.good()) return false;
  for (std::size_t i = rows_.first; i < rows_.end; ++i) {
    const KindIndex kind = kinds_[i];
    numbers[i] = has(kind) ? static_cast<Number>(values.next(kind)) : Number{0};
  }
  return values.good();
}

const char* SlabColumnReader::open(const SlabBytes& bytes) {
  if (!clock_.good()) return "its unit and base";
  if (!read_sections(bytes.sections)) return "its sections";
  if (!read_kinds(bytes.kinds)) return "its kinds";
  return nullptr;
}

const char* SlabColumnReader::read(const SlabBytes& bytes, const SpanSlabs::Choice& choice,
                                   SlabColumns& columns) {
  first_ = choice.first;
  end_ = std::min(choice.end, sections_.size());
  if (first_ > end_) return "its sections";
  rows_ = {first_rows_[first_], first_rows_[end_]};
  columns.sections = sections_;
  columns.kinds.resize(kinds_.size());
  std::ranges::copy(std::span(kinds_).subspan(rows_.first, rows_.end - rows_.first),
                    columns.kinds.begin() + static_cast<std::ptrdiff_t>(rows_.first));
  const auto all = [](std::size_t) { return true; };
  const auto has_argument = [this](std::size_t kind) {
    return kind_has_argument(tables_.kinds[kind].kind);
  };
  const auto has_result = [this](std::size_t kind) {
    return tables_.kinds[kind].kind == SpanKind::kSyscall;
  };
  const auto wants = [&choice](unsigned wanted) { return (choice.columns & wanted) != 0; };
  const bool good =
      (!wants(SlabColumns::kStarts | SlabColumns::kDurations) ||
       read_durations(bytes.durations, columns.durations)) &&
      (!wants(SlabColumns::kStarts) || read_starts(bytes.gaps, columns)) &&
      (!wants(SlabColumns::kThreads) || read_threads(bytes.threads, columns.threads)) &&
      (!wants(SlabColumns::kArgs) ||
       read_numbers(args_, bytes.args, kMost32, has_argument, columns.args)) &&
      (!wants(SlabColumns::kResults) ||
       read_numbers(results_, bytes.results, kMostResult, has_result, columns.results)) &&
      (!wants(SlabColumns::kIpcs) || read_numbers(ipcs_, bytes.ipcs, 15, all, columns.ipcs)) &&
      (!wants(SlabColumns::kRpcs) || read_numbers(rpcs_, bytes.rpcs, kMost32, all, columns.rpcs));
  return good ? nullptr : "the columns of its spans";
}

}  // namespace kutrace::read
