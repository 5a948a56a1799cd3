// SPDX-License-Identifier: BSD-3-Clause
// A queue with one thread behind it.
#include "emit/page/slab_packer.h"

#include <utility>

#include "base/b128.h"

namespace kutrace::emit {

void set_sizes(SlabRow& row, const Deflated& block) {
  row.packed_size = static_cast<std::uint32_t>(block.bytes.size());
  row.raw_size = block.raw_size;
  row.crc = block.crc;
}

SlabPacker::~SlabPacker() { end(); }

Slab SlabPacker::add(Slab slab) {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.size() < kMostWaiting; });
  waiting_.push_back(std::move(slab));
  changed_.notify_all();
  if (empty_.empty()) return {};
  Slab next = std::move(empty_.back());
  empty_.pop_back();
  return next;
}

void SlabPacker::run() {
  for (;;) {
    Slab slab;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      slab = std::move(waiting_.front());
      waiting_.pop_front();
      changed_.notify_all();
    }
    try {
      if (!thrown_) pack(slab);
      slab.clear();
      const std::scoped_lock lock(mutex_);
      empty_.push_back(std::move(slab));
    } catch (...) {  // too little memory: the other thread ends orderly, and tells
      thrown_ = std::current_exception();
    }
  }
}

void SlabPacker::pack(Slab& slab) {
  SlabRow row = slab.row();
  slab.add_to(packed_.totals);
  slab.add_to(overview_);
  Result<Deflated> block = deflater_.deflate(slab.encode(columns_).bytes());
  if (!block) {
    if (!error_) error_ = block.error();
    return;
  }
  set_sizes(row, *block);
  packed_.rows.push_back(std::move(row));
  std::string text;
  if (for_page_) {
    append_b128(block->bytes, text);
    text.shrink_to_fit();
  } else {
    text.assign(block->bytes.begin(), block->bytes.end());
  }
  packed_.blocks.push_back(std::move(text));
}

void SlabPacker::end() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

Result<PackedSlabs> SlabPacker::finish() {
  end();
  if (thrown_) std::rethrow_exception(thrown_);
  if (error_) return fail(*error_);
  return std::move(packed_);
}

}  // namespace kutrace::emit
