// SPDX-License-Identifier: BSD-3-Clause
// The source of a recording, opened, and what is known of it before it records. In: the options of
// the recording; out: the source, what it costs, what it cannot show, and the facts that say so.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "format/name_entries.h"
#include "record/blocks/clock.h"
#include "record/run/cost.h"
#include "record/run/recorder.h"
#include "record/source/source.h"

namespace kutrace::record {

struct OpenedSource {
  std::unique_ptr<Source> source;
  std::string why_ebpf;  // instead of the module that was chosen
  Cost cost;
  unsigned other_recorders = 0;
  bool knows_pids = true;            // the kernel's numbers of processes are those of /proc
  std::vector<std::string> unseen;   // what this kernel, or these options, cannot show
  std::vector<std::string> lacking;  // the part of it that was asked for

  // Whether its blocks lack what this filter leaves out.
  bool is_filtered(const ThreadFilter& filter) const {
    return filter.is_set() && !source->leaves_filter_to_end();
  }
};

// `course` is told how long each part took. `mb`: of the buffer.
Result<OpenedSource> open_for(const RecordOptions& options, std::uint32_t mb, Stopwatch& course);

// `command`: the process that is recorded, if there is one.
void add_recording_facts(NameEntries& names, const OpenedSource& opened,
                         const RecordOptions& options, const ClockReading& start,
                         std::optional<Pid> command);

}  // namespace kutrace::record
