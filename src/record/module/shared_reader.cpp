// SPDX-License-Identifier: BSD-3-Clause
// Rows of blocks by CPU, in the order of their numbers.
#include "record/module/shared_reader.h"

#include <algorithm>
#include <iterator>

#include "record/blocks/block_walk.h"

namespace kutrace::record {

namespace {

ReaderRights rights_of(const EventGroups& groups) {
  ReaderRights rights;
  rights.groups = groups;
  rights.lapped = true;
  return rights;
}

}  // namespace

SharedReader::SharedReader(const EventGroups& groups, Ticks begin, std::uint32_t first_index)
    : begin_(begin), blocks_(first_index), stream_(rights_of(groups), begin, *this) {}

void SharedReader::begin(const std::vector<CpuId>& cpus) {
  for (const CpuId cpu : cpus) blocks_.begin(cpu, begin_);
}

void SharedReader::begin_behind(CpuId cpu, std::uint64_t sequence) {
  std::optional<std::uint64_t>& next = rows_[cpu].next;
  next = std::max(next.value_or(0), sequence + 1);
}

void SharedReader::go_on_from(CpuId cpu, std::uint64_t sequence, Ticks last) {
  rows_[cpu].first = sequence;
  rows_[cpu].next = sequence;
  ends_[cpu] = last;
  stream_.go_on_from(cpu, sequence, last);
}

bool SharedReader::add(const FinishedBlock& block) {
  Row& row = rows_[block.cpu];
  if (block.sequence() < row.first) return false;
  if (row.next && block.sequence() < *row.next) return true;
  Waiting& own = row.waiting[block.sequence()];
  own.words.assign(block.words, block.words + block.end);
  own.block = block;
  own.block.words = own.words.data();
  return true;
}

void SharedReader::pass_first(Row& row) {
  const auto first = row.waiting.begin();
  const FinishedBlock& block = first->second.block;
  if (row.next) missed_ += first->first - *row.next;
  row.next = first->first + 1;
  stream_.add(block);
  Ticks& end = ends_[block.cpu];
  end = std::max(end, end_time(block));
  row.waiting.erase(first);
}

void SharedReader::pass() {
  for (auto& [cpu, row] : rows_)
    while (!row.waiting.empty() && row.next == row.waiting.begin()->first) pass_first(row);
}

bool SharedReader::has_gap() const {
  return std::ranges::any_of(rows_, [](const auto& row) { return !row.second.waiting.empty(); });
}

SharedReader::Newest SharedReader::newest() const {
  Newest newest;
  for (const auto& [cpu, row] : rows_)
    if (!row.waiting.empty()) newest[cpu] = row.waiting.rbegin()->first;
  return newest;
}

void SharedReader::pass_up_to(const Newest& newest) {
  for (const auto& [cpu, last] : newest) {
    Row& row = rows_[cpu];
    while (!row.waiting.empty() && row.waiting.begin()->first <= last) pass_first(row);
  }
  pass();
}

std::vector<FinishedBlock> SharedReader::finish() {
  pass_up_to(newest());
  stream_.finish();
  std::vector<FinishedBlock> all = blocks_.take_finished();
  std::ranges::copy(blocks_.open_blocks(), std::back_inserter(all));
  return all;
}

Ticks SharedReader::end_of(CpuId cpu) const {
  const auto end = ends_.find(cpu);
  return end == ends_.end() ? begin_ : std::max(end->second, begin_);
}

}  // namespace kutrace::record
