// SPDX-License-Identifier: BSD-3-Clause
// Which thread a number in an event means. In: numbers as entries and block headers hold them; out:
// whole thread ids. Our own recordings say them whole. KUtrace's entries hold 16 bits, FreeBSD's
// block headers name threads by numbers that are greater by 100000, and some systems give idle
// threads numbers of their own.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/units.h"
#include "timeline/stream_facts.h"

namespace kutrace::spans {

class ThreadIds {
 public:
  explicit ThreadIds(const timeline::StreamFacts& facts);

  // Any thread's name: some tell which system was recorded.
  void saw_name(std::string_view name);
  void recorded_by_free_bsd() { free_bsd_ = true; }
  // Whether this is a name of idle threads. If so, `pid` means the idle thread from here on.
  bool is_idle_name(Pid pid, std::string_view name);

  // The number as an event says it: whole, and 0 for idle.
  Pid of_event(std::uint32_t said) const {
    const Pid pid = whole(said);
    return idle_aliases_.contains(pid) ? 0 : pid;
  }
  // The number as a block's header says it. Numbers of idle threads stay what they are.
  Pid of_header(std::uint32_t said) const;
  // The number as an event says it, likewise.
  Pid whole(std::uint32_t said) const;
  bool is_idle(Pid pid) const { return idle_aliases_.contains(pid); }

 private:
  bool own_source_;
  bool free_bsd_ = false;
  std::unordered_map<Pid, Pid> wide_;     // by low 16 bits
  std::unordered_set<Pid> idle_aliases_;  // threads that are a CPU's idle thread under another id
};

}  // namespace kutrace::spans
