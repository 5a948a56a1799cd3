// SPDX-License-Identifier: BSD-3-Clause
// A question as the programs take it: in: the question and the names of this machine; out: their
// constants, which programs are needed, and how to read what they counted.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "count/answer.h"
#include "count/question.h"
#include "record/count/event_names.h"
#include "record/ebpf/bpf/count_layout.h"

namespace kutrace::record {

struct CountPlan {
  kutrace_count_settings settings{};
  std::uint32_t key_slots = 1;    // of the map: at least one
  std::uint32_t value_words = 0;  // likewise
  std::vector<std::string_view> programs;
  bool by_interval = false;  // the last slot of a key tells them apart
};

// The slots of a key; one that is compared or summed up has the first.
std::vector<std::uint32_t> slots_of(count::Field field);

struct CountWay {
  bool by_interval = false;
  std::uint32_t family = 0;  // only what descendants of this process do; 0: of all
};

// Fails where a name is of nothing here, or the question is too large.
Result<CountPlan> plan_count(const count::Question& question, const EventNames& names,
                             const CountWay& way);

// One CPU's value of a key.
std::vector<count::Sums> sums_of(const CountPlan& plan, const count::Question& question,
                                 std::span<const std::uint64_t> words);

}  // namespace kutrace::record
