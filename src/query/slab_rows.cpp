// SPDX-License-Identifier: BSD-3-Clause
// Slabs to blocks.
#include "query/slab_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/page_result.h"

namespace kutrace::query {

namespace {

constexpr std::size_t kRows = PackedColumn::kBlockRows;
// Sections of fewer rows share a block: one has bounds and room of its own in every column.
constexpr std::size_t kFewRows = 4096;
constexpr std::int64_t kMost32 = std::numeric_limits<std::uint32_t>::max();

std::int64_t greatest_place(const std::vector<std::int64_t>& places) {
  return places.empty() ? 0 : *std::ranges::max_element(places);
}

}  // namespace

// A block that is put together of sections.
class SlabRows::Piece {
 public:
  Piece(std::size_t slab, std::size_t row) : place_{slab, row, 0, 0, 0} {}

  void add(const SpanSlabs::Section& section, std::size_t number, std::size_t rows) {
    const bool first = place_.rows == 0;
    if (first) place_.section = number;
    place_.last_section = number;
    place_.rows += rows;
    begin_ = first ? section.begin : std::min(begin_, section.begin);
    end_ = first ? section.end : std::max(end_, section.end);
    longest_ = std::max(longest_, section.end - section.begin);
    first_cpu_ = first ? section.cpu : std::min(first_cpu_, section.cpu);
    last_cpu_ = first ? section.cpu : std::max(last_cpu_, section.cpu);
  }
  const Place& place() const { return place_; }
  std::size_t rows() const { return place_.rows; }
  std::size_t row_behind() const { return place_.row + place_.rows; }
  Ns begin() const { return begin_; }
  Ns end() const { return end_; }
  Ns longest() const { return longest_; }
  CpuId first_cpu() const { return first_cpu_; }
  CpuId last_cpu() const { return last_cpu_; }

 private:
  Place place_;
  Ns begin_ = 0;
  Ns end_ = 0;
  Ns longest_ = 0;  // that a row can be
  CpuId first_cpu_ = 0;
  CpuId last_cpu_ = 0;
};

void SlabRows::foresee() {
  blocks_.clear();
  read_.reset();
  const Most most{greatest_place(places_.whats), greatest_place(places_.threads)};
  for (std::size_t slab = 0; slab < slabs_.extents().size(); ++slab) {
    Piece piece(slab, 0);
    const auto end_piece = [&] {
      if (piece.rows() != 0) foresee(piece, most);
      piece = Piece(slab, piece.row_behind());
    };
    const std::vector<SpanSlabs::Section>& sections = slabs_.extents()[slab].sections;
    for (std::size_t number = 0; number < sections.size(); ++number) {
      const SpanSlabs::Section& section = sections[number];
      // Blocks of one section are about as large as each other, so that none is a small rest.
      std::size_t left = section.spans;
      for (std::size_t blocks = (left + kRows - 1) / kRows; blocks != 0; --blocks) {
        const std::size_t rows = left / blocks;
        left -= rows;
        if (piece.rows() + rows > kRows) end_piece();
        piece.add(section, number, rows);
        if (piece.rows() >= kFewRows) end_piece();
      }
    }
    end_piece();
  }
}

void SlabRows::foresee(const Piece& piece, const Most& most) {
  SpanRows::Stores& s = rows_.stores();
  const std::size_t rows = piece.rows();
  blocks_.push_back(piece.place());
  rows_.table().foresee(rows, *this);
  s.start.foresee(rows, piece.begin(), piece.end());
  s.duration.foresee(rows, 0, piece.longest());
  s.what.foresee(rows, 0, most.what);
  s.cpu.foresee(rows, piece.first_cpu(), piece.last_cpu());
  s.thread.foresee(rows, 0, most.thread);
  s.arg.foresee(rows, 0, kMost32);
  s.result.foresee(rows, std::numeric_limits<std::int16_t>::min(), kPageSuccess - 1);
  s.has_result.foresee(rows, 0, 1);
  s.rpc.foresee(rows, 0, kMost32);
}

unsigned SlabRows::wanted() {
  const SpanRows::Stores& s = rows_.stores();
  unsigned wanted = 0;
  if (s.start.kept()) wanted |= SlabColumns::kStarts;
  if (s.duration.kept()) wanted |= SlabColumns::kDurations;
  if (s.thread.kept()) wanted |= SlabColumns::kThreads;
  if (s.arg.kept()) wanted |= SlabColumns::kArgs;
  if (s.result.kept() || s.has_result.kept()) wanted |= SlabColumns::kResults;
  if (s.rpc.kept()) wanted |= SlabColumns::kRpcs;
  return wanted;
}

// A damaged slab leaves columns of no slab.
Status SlabRows::read(const Place& place) {
  if (read_ && read_->same_as(place)) return {};
  read_.reset();
  KUTRACE_TRY(
      slabs_.executions(place.slab, {wanted(), place.section, place.last_section + 1}, columns_));
  read_ = place;
  return {};
}

template <typename Value>
void SlabRows::fill_column(PackedColumn& column, std::size_t block, const Value& value) {
  if (!column.kept()) return;
  const Place& place = blocks_[block];
  values_.resize(place.rows);
  for (std::size_t i = 0; i < place.rows; ++i) values_[i] = value(place.row + i);
  column.fill(block, values_);
}

bool SlabRows::fill(std::size_t block) {
  if (Status done = read(blocks_[block]); !done) {
    failure_ = std::move(done);
    return false;
  }
  SpanRows::Stores& s = rows_.stores();
  const SlabColumns& c = columns_;
  const auto fill = [&](PackedColumn& column, const auto& value) {
    fill_column(column, block, value);
  };
  const auto plain = [](const auto& numbers) {
    return [&numbers](std::size_t i) { return static_cast<std::int64_t>(numbers[i]); };
  };
  fill(s.start, plain(c.starts));
  fill(s.duration, plain(c.durations));
  fill(s.what, [&](std::size_t i) { return places_.whats[c.kinds[i]]; });
  fill(s.thread, [&](std::size_t i) { return places_.threads[c.threads[i]]; });
  fill(s.arg, plain(c.args));
  fill(s.rpc, plain(c.rpcs));
  fill(s.has_result, [&](std::size_t i) { return c.results[i] == 0 ? 0 : 1; });
  fill(s.result, [&](std::size_t i) { return result_of_page(c.results[i]).value; });
  std::size_t section = 0;
  std::size_t end = c.sections.front().spans;
  fill(s.cpu, [&](std::size_t i) {
    while (i >= end) end += c.sections[++section].spans;
    return std::int64_t{c.sections[section].cpu};
  });
  rows_.table().filled(block);
  return true;
}

}  // namespace kutrace::query
