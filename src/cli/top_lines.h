// SPDX-License-Identifier: BSD-3-Clause
// The table of `kutrace top` as lines, or as JSON. In: an interval's times, an order, a pattern of
// names, room; out: a heading and rows that fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "live/thread_times.h"

namespace kutrace::cli {

enum class TopOrder : std::uint8_t { kOnCpu, kReady, kWaiting, kCalls, kP99, kName };

struct TopView {
  TopOrder order = TopOrder::kOnCpu;
  bool by_program = false;  // threads of a process together
  std::string filter;       // part of a name, or a pattern; empty: all
  std::size_t rows = 0;     // 0: all
  std::size_t columns = 0;  // 0: no limit
};

// Threads, or programs, that the view shows, in its order.
std::vector<live::ThreadRow> chosen_rows(const live::TimesOfInterval& times, const TopView& view);
// One line about the machine, one of headings, one for each row.
std::vector<std::string> top_lines(const live::TimesOfInterval& times, const TopView& view);
std::string top_json(const live::TimesOfInterval& times, const TopView& view);

}  // namespace kutrace::cli
