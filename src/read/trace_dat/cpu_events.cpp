// SPDX-License-Identifier: BSD-3-Clause
// From page to page.
#include "read/trace_dat/cpu_events.h"

#include <algorithm>

#include "read/trace_dat/packed_piece.h"

namespace kutrace::read {

CpuEvents::CpuEvents(const DatHeader& header, const DatHeader::CpuPages& pages, std::uint64_t& room)
    : cpu_(pages.cpu),
      page_bytes_(header.page_bytes),
      long_bytes_(header.long_bytes),
      packed_(header.packed),
      room_(&room),
      chunks_(packed_ ? pages.bytes : std::span<const std::byte>()) {
  if (packed_) {
    chunks_left_ = chunks_.u32();
  } else {
    rest_ = pages.bytes;
  }
}

void CpuEvents::note_damage() {
  ++damaged_pages_;
  lost_ = damaged_ = true;
}

void CpuEvents::leave_chunk() {
  if (!chunk_) return;
  *room_ += chunk_->bytes().size();
  page_.reset();
  chunk_.reset();
}

bool CpuEvents::next_chunk() {
  leave_chunk();
  while (chunks_left_ > 0 && !chunks_.failed()) {
    --chunks_left_;
    chunk_ = unpack_piece(chunks_, *room_);
    if (chunk_) {
      rest_ = chunk_->bytes();
      return true;
    }
    note_damage();
  }
  return false;
}

bool CpuEvents::next_page() {
  while (rest_.empty())
    if (!next_chunk()) return false;
  const std::size_t size = std::min(page_bytes_, rest_.size());
  page_.emplace(rest_.first(size), long_bytes_);
  rest_ = rest_.subspan(size);
  if (page_->lost_before()) {
    lost_ = true;
    lost_count_ += page_->lost_count();
  }
  return true;
}

bool CpuEvents::next() {
  lost_ = damaged_ = false;
  lost_count_ = 0;
  while (true) {
    if (page_ && page_->next()) return true;
    if (page_ && page_->damaged()) note_damage();
    if (!next_page()) return false;
  }
}

}  // namespace kutrace::read
