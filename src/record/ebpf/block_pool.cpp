// SPDX-License-Identifier: BSD-3-Clause
// Both ends of the rings, as the recorder sees them.
#include "record/ebpf/block_pool.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "record/blocks/block_walk.h"

namespace kutrace::record {

namespace {

constexpr std::uint32_t kRingMask = KUTRACE_RING - 1;
// So few are not taken back from a CPU: it would soon be without.
constexpr std::uint32_t kLeastAhead = 2;

template <typename T>
T load(T& shared) {
  return std::atomic_ref<T>(shared).load(std::memory_order_acquire);
}

template <typename T>
void store(T& shared, T value) {
  std::atomic_ref<T>(shared).store(value, std::memory_order_release);
}

// A filter, if there is one, lets nothing pass until the CPU's start has asked: so a program that
// the start interrupts leaves out what it was about.
kutrace_cpu unstarted_cpu() {
  kutrace_cpu cpu{};
  cpu.hidden = 1;
  return cpu;
}

}  // namespace

BlockPool::BlockPool(kutrace_shared* shared, kutrace_rings* rings, kutrace_block* blocks,
                     std::uint32_t block_count, std::vector<CpuId> cpus)
    : shared_(shared),
      rings_(rings),
      blocks_(blocks),
      block_count_(block_count),
      cpus_(std::move(cpus)) {
  make_room(*std::ranges::max_element(cpus_));
  for (const CpuId id : cpus_) cpu(id) = unstarted_cpu();
  for (std::uint32_t index = block_count_; index-- > 0;) reserve_.push_back(index);
}

void BlockPool::make_room(CpuId id) {
  const std::size_t slots = std::max(owned_.size(), std::size_t{id} + 1);
  owned_.resize(slots);
  full_head_.resize(slots);
}

void BlockPool::add_cpu(CpuId id) {
  make_room(id);
  cpus_.push_back(id);
  cpu(id) = unstarted_cpu();
  rings_[id] = kutrace_rings{};
}

// Free blocks that a CPU has.
std::uint32_t BlockPool::ahead(CpuId id) const {
  return cpu(id).free_tail - load(cpu(id).free_head);
}

// What each CPU can have, at most `level`; no less than what it is left with.
std::uint32_t BlockPool::level_for_all(std::uint32_t level) const {
  std::uint32_t left = reserve();
  for (const CpuId id : cpus_) left += ahead(id);
  const std::uint32_t share = left / static_cast<std::uint32_t>(cpus_.size());
  return std::clamp(share, std::min(level, kLeastAhead), level);
}

// All but `left` free blocks of a CPU, in one step, as it may take one itself. If it just did, the
// next round tries again.
void BlockPool::take_back(CpuId id, std::uint32_t left) {
  kutrace_cpu& st = cpu(id);
  std::uint32_t head = load(st.free_head);
  if (st.free_tail - head <= left) return;
  const std::uint32_t end = st.free_tail - left;
  const std::uint32_t begin = head;
  if (!std::atomic_ref(st.free_head).compare_exchange_strong(head, end)) return;
  for (std::uint32_t at = begin; at != end; ++at)
    reserve_.push_back(rings_[id].free[at & kRingMask]);
  owned_[id] -= end - begin;
}

std::uint32_t BlockPool::top_up(std::uint32_t level) {
  if (const std::uint32_t share = level_for_all(level); share < level) {
    level = share;
    for (const CpuId id : cpus_) take_back(id, level);
  }
  std::uint32_t lowest = ~0u;
  for (const CpuId id : cpus_) {
    kutrace_cpu& st = cpu(id);
    std::uint32_t have = ahead(id);
    while (have < level && owned_[id] < KUTRACE_RING && !reserve_.empty()) {
      rings_[id].free[st.free_tail & kRingMask] = reserve_.back();
      reserve_.pop_back();
      store(st.free_tail, st.free_tail + 1);
      ++owned_[id];
      ++have;
    }
    lowest = std::min(lowest, have);
  }
  return lowest;
}

std::uint32_t BlockPool::wanted(std::uint32_t level) {
  std::uint32_t blocks = 0;
  for (const CpuId id : cpus_) {
    blocks += level - std::min(level, ahead(id));
  }
  return blocks;
}

bool BlockPool::is_used_up() const {
  return reserve_.empty() && std::ranges::any_of(cpus_, [this](CpuId id) {
           return load(cpu(id).next) == KUTRACE_NO_BLOCK && load(cpu(id).lost) != 0 &&
                  ahead(id) == 0;
         });
}

std::optional<FinishedBlock> BlockPool::at_position(CpuId id, std::uint64_t position) const {
  if ((position & KUTRACE_WORD_MASK) == 0) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(position >> KUTRACE_WORD_BITS);
  return FinishedBlock{index, id, static_cast<std::uint32_t>(position & KUTRACE_WORD_MASK),
                       blocks_[index].word};
}

std::optional<FinishedBlock> BlockPool::open_block(CpuId id) const {
  return at_position(id, load(cpu(id).next));
}

void BlockPool::take_finished(CpuId id, std::vector<FinishedBlock>& out) {
  const std::uint32_t tail = load(cpu(id).full_tail);
  while (full_head_[id] != tail) {
    std::uint64_t& slot = rings_[id].full[full_head_[id] & kRingMask];
    const std::uint64_t value = load(slot);
    if (value == 0) return;  // claimed by a program that has not stored it yet
    store(slot, std::uint64_t{0});
    ++full_head_[id];
    --owned_[id];
    const auto index = static_cast<std::uint32_t>(value) - 1;
    const auto end = static_cast<std::uint32_t>(value >> 32);
    if (end == 0) {
      release(index);
      continue;
    }
    out.push_back({index, id, end, blocks_[index].word});
  }
}

// Nothing is on its way into it: neither an entry nor, which its words do not show, a return. That
// its CPU is writing one is asked after the block was seen to be finished; one that begins later
// sees so, too.
bool BlockPool::is_written(const FinishedBlock& block) const {
  return load(cpu(block.cpu).folding) == 0 && is_settled(block);
}

void BlockPool::collect(std::vector<FinishedBlock>& out) {
  std::vector<FinishedBlock> found = std::exchange(unsettled_, {});
  for (const CpuId id : cpus_) take_finished(id, found);
  for (FinishedBlock& block : found) (is_written(block) ? out : unsettled_).push_back(block);
}

void BlockPool::release(std::uint32_t index) {
  std::memset(&blocks_[index], 0, sizeof blocks_[index]);
  reserve_.push_back(index);
}

std::optional<FinishedBlock> BlockPool::stop_cpu(CpuId id) {
  const std::uint64_t position = std::atomic_ref(cpu(id).next).exchange(KUTRACE_STOPPED);
  const auto block = at_position(id, position);
  if (block) --owned_[id];
  return block;
}

void BlockPool::reset() {
  std::vector<FinishedBlock> used = std::exchange(unsettled_, {});
  for (const CpuId id : cpus_) {
    take_finished(id, used);
    if (const auto open = stop_cpu(id)) used.push_back(*open);
    kutrace_cpu& st = cpu(id);
    for (std::uint32_t at = st.free_head; at != st.free_tail; ++at)
      reserve_.push_back(rings_[id].free[at & kRingMask]);
    st = unstarted_cpu();
    rings_[id] = kutrace_rings{};
    owned_[id] = full_head_[id] = 0;
  }
  for (const FinishedBlock& block : used) release(block.index);
}

}  // namespace kutrace::record
