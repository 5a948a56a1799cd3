// SPDX-License-Identifier: BSD-3-Clause
// Which processes a filtered recording has, where they change while it goes on. In: the filter that
// it began with, and wishes; out: the source told, what changed when, and the facts that say so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "format/name_entries.h"
#include "format/tick_rate.h"
#include "record/run/signed_words.h"
#include "record/source/source.h"
#include "record/source/thread_filter.h"

namespace kutrace::record {

class ProcessLog {
 public:
  explicit ProcessLog(const ThreadFilter& filter)
      : filter_(filter), is_by_process_(!filter.processes.empty()) {}

  // What is recorded now: "processes 12,13".
  std::string text() const;
  // "+12,13", "-14", to be told to the source: what is added must exist. A thread is recorded, or
  // not any more, from its next turn on a CPU. Fails, and changes nothing, if the recording did not
  // begin with some processes.
  Status change(const std::vector<std::string>& words, Source& source);
  // What changed, in times after `zero`.
  void add_to(NameEntries& names, Ticks zero, TickRate rate) const;

 private:
  ThreadFilter filter_;
  bool is_by_process_;
  WordLog changes_;
};

}  // namespace kutrace::record
