// SPDX-License-Identifier: BSD-3-Clause
// Slabs to blocks.
#include "query/slab_rows.h"

#include <algorithm>
#include <limits>

namespace kutrace::query {

namespace {

constexpr std::size_t kRows = PackedColumn::kBlockRows;
constexpr std::int64_t kMost32 = std::numeric_limits<std::uint32_t>::max();

std::int64_t greatest_place(const std::vector<std::int64_t>& places) {
  return places.empty() ? 0 : *std::ranges::max_element(places);
}

}  // namespace

void SlabRows::foresee(const std::vector<CpuId>& cpus) {
  blocks_.clear();
  SpanRows::Stores& s = rows_.stores();
  const std::int64_t last_what = greatest_place(places_.whats);
  const std::int64_t last_thread = greatest_place(places_.threads);
  for (std::size_t slab = 0; slab < slabs_.extents().size(); ++slab) {
    const SpanSlabs::Extent& extent = slabs_.extents()[slab];
    const std::size_t first_block = blocks_.size();
    for (std::size_t left = extent.spans; left != 0;) {
      const std::size_t rows = std::min(left, kRows);
      left -= rows;
      blocks_.push_back({slab, first_block});
      rows_.table().foresee(rows, *this);
      s.start.foresee(rows, extent.begin, extent.end);
      s.duration.foresee(rows, 0, extent.end - extent.begin);
      s.what.foresee(rows, 0, last_what);
      s.cpu.foresee(rows, cpus.empty() ? 0 : std::int64_t{cpus.front()},
                    cpus.empty() ? 0 : std::int64_t{cpus.back()});
      s.thread.foresee(rows, 0, last_thread);
      s.arg.foresee(rows, 0, kMost32);
      s.result.foresee(rows, std::numeric_limits<std::int16_t>::min(),
                       std::numeric_limits<std::int16_t>::max());
      s.has_result.foresee(rows, 0, 1);
      s.rpc.foresee(rows, 0, kMost32);
    }
  }
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

template <typename Value>
void SlabRows::fill_column(PackedColumn& column, std::size_t first_block, const Value& value) {
  if (!column.kept()) return;
  const std::size_t all = columns_.kinds.size();
  for (std::size_t at = 0; at < all; at += kRows) {
    values_.resize(std::min(kRows, all - at));
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = value(at + i);
    column.fill(first_block + at / kRows, values_);
  }
}

bool SlabRows::fill(std::size_t block) {
  const auto [slab, first] = blocks_[block];
  if (Status done = slabs_.executions(slab, wanted(), columns_); !done) {
    failure_ = std::move(done);
    return false;
  }
  SpanRows::Stores& s = rows_.stores();
  const SlabColumns& c = columns_;
  const auto plain = [](const auto& numbers) {
    return [&numbers](std::size_t i) { return static_cast<std::int64_t>(numbers[i]); };
  };
  fill_column(s.start, first, plain(c.starts));
  fill_column(s.duration, first, plain(c.durations));
  fill_column(s.what, first, [&](std::size_t i) { return places_.whats[c.kinds[i]]; });
  fill_column(s.thread, first, [&](std::size_t i) { return places_.threads[c.threads[i]]; });
  fill_column(s.arg, first, plain(c.args));
  fill_column(s.rpc, first, plain(c.rpcs));
  fill_column(s.has_result, first, [&](std::size_t i) { return c.results[i] == 0 ? 0 : 1; });
  fill_column(s.result, first, [&](std::size_t i) {
    return c.results[i] == 0 ? 0 : low_result(c.results[i] - 1).value;
  });
  std::size_t section = 0;
  std::size_t end = c.sections.empty() ? 0 : c.sections.front().spans;
  fill_column(s.cpu, first, [&](std::size_t i) {
    while (i == end) end += c.sections[++section].spans;
    return std::int64_t{c.sections[section].cpu};
  });
  const std::size_t blocks = (c.kinds.size() + kRows - 1) / kRows;
  for (std::size_t i = 0; i < blocks; ++i) rows_.table().filled(first + i);
  return true;
}

}  // namespace kutrace::query
