// SPDX-License-Identifier: BSD-3-Clause
// The events of one file of a CTF trace, in order. In: its packets; out: those events that
// something is made of, with time and CPU, and what was lost before each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/mapped_file.h"
#include "base/units.h"
#include "read/ctf/ctf_schema.h"
#include "read/ctf/ctf_values.h"

namespace kutrace::read {

class CtfStream {
 public:
  CtfStream(const CtfSchema& schema, MappedFile file);

  // False: there is none left.
  bool next();
  // Of nanoseconds of the trace's first clock.
  Ns time() const { return ns(now_); }
  CpuId cpu() const { return cpu_; }
  const CtfUse& use() const { return event_->use; }
  const CtfValues& values() const { return values_; }

  // What lies between this event and the one before it, or behind the last.
  bool lost() const { return loss_.is; }
  bool was_damaged() const { return loss_.is_damage; }
  std::optional<std::uint64_t> lost_count() const { return loss_.count; }  // nothing: not told

  // Whether any packet names its CPU.
  bool has_cpu() const { return has_cpu_; }
  // When the first packet begins, where it says so.
  std::optional<Ns> begin() const { return begin_; }
  // Up to where it was recorded, as far as it was read.
  Ns end() const { return ns(latest_); }
  std::uint64_t damaged() const { return damaged_; }
  bool is_cut() const { return is_cut_; }

 private:
  struct Loss {
    bool is = false;
    bool is_damage = false;
    std::optional<std::uint64_t> count = 0;
  };

  Ns ns(std::uint64_t count) const;
  bool next_packet();
  bool read_header();
  bool read_context();
  void find_losses();
  void leave_packet();
  bool read_event();
  bool is_unwritten(std::uint64_t begin) const;
  void advance();
  void damage();
  void lose(std::optional<std::uint64_t> count);

  const CtfSchema& schema_;
  MappedFile file_;
  std::span<const std::byte> packet_;
  std::span<const std::byte> rest_;  // packets that were not begun
  const CtfStreamClass* stream_ = nullptr;
  const CtfEventClass* event_ = nullptr;
  CtfReader reader_;
  CtfValues values_;
  std::uint64_t packet_bytes_ = 0;
  bool in_packet_ = false;
  bool is_unclosed_ = false;  // the packet does not tell where it ends
  bool is_first_ = true;      // packet
  bool has_cpu_ = false;
  bool is_cut_ = false;
  CpuId cpu_ = 0;
  Ns shift_ = 0;                              // of its clock against the trace's first
  std::uint64_t now_ = 0;                     // of its clock
  std::uint64_t latest_ = 0;                  // likewise
  std::uint64_t last_event_ = 0;              // likewise
  std::optional<std::uint64_t> packet_end_;   // likewise, as the packet says
  std::optional<std::uint64_t> discarded_;    // up to the end of the packet before
  std::optional<std::uint64_t> sequence_;     // of the packet before
  std::optional<std::uint64_t> lost_behind_;  // events, behind the packet's last
  std::optional<Ns> begin_;
  Loss loss_;
  std::uint64_t damaged_ = 0;
};

}  // namespace kutrace::read
