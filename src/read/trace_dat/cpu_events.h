// SPDX-License-Identifier: BSD-3-Clause
// One CPU's events of a trace.dat, in order. In: its pages, packed or not; out: bytes and time of
// each, and what was lost before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/mapped_file.h"
#include "base/units.h"
#include "read/import/byte_cursor.h"
#include "read/trace_dat/dat_header.h"
#include "read/trace_dat/ring_page.h"

namespace kutrace::read {

class CpuEvents {
 public:
  // `room` is how many bytes may be unpacked at one time, of all CPUs.
  CpuEvents(const DatHeader& header, const DatHeader::CpuPages& pages, std::uint64_t& room);

  // False: there is none left.
  bool next();
  CpuId cpu() const { return cpu_; }
  std::uint64_t time() const { return page_->time(); }
  std::span<const std::byte> event() const { return page_->event(); }

  // What lies between this event and the one before it.
  bool lost() const { return lost_; }
  bool was_damaged() const { return damaged_; }
  std::uint64_t lost_count() const { return lost_count_; }  // 0: not told
  std::uint64_t damaged_pages() const { return damaged_pages_; }

 private:
  bool next_page();
  bool next_chunk();
  void leave_chunk();
  void note_damage();

  CpuId cpu_;
  std::size_t page_bytes_;
  std::size_t long_bytes_;
  bool packed_;
  std::uint64_t* room_;
  ByteCursor chunks_;  // where packed
  std::uint32_t chunks_left_ = 0;
  std::optional<MappedFile> chunk_;
  std::span<const std::byte> rest_;  // of the pages
  std::optional<RingPage> page_;
  bool lost_ = false;
  bool damaged_ = false;
  std::uint64_t lost_count_ = 0;
  std::uint64_t damaged_pages_ = 0;
};

}  // namespace kutrace::read
