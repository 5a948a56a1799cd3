// SPDX-License-Identifier: BSD-3-Clause
// The experiment of what recording costs a command: runs of it, bare and recorded in one or several
// ways, in turn. In: the command and the ways; out: what each run took.
//
// A round is A B B A: bare, each way once, each way once more in the reverse order, bare. So what
// drifts evenly while it lasts touches all of them alike. With several ways, each round begins with
// another one. First of all, nothing is recorded in each way, three times: the events of the one
// that had least are subtracted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "format/event_groups.h"
#include "record/run/recorder.h"
#include "record/source/source.h"
#include "record/trials/launcher.h"

namespace kutrace::record {

// How a run is recorded: as `record` does it without other options, and the trace is thrown away.
struct RecordingWay {
  SourceKind source = SourceKind::kEbpf;
  EventGroups groups = EventGroups::standard();
};

struct TrialOptions {
  std::vector<std::string> command;
  CommandOutput output = CommandOutput::kNowhere;
  std::vector<RecordingWay> ways;
  unsigned rounds = 1;
  unsigned warmup = 0;  // runs of each kind that are not counted, before the first round
  Ns most = 0;          // that a run of the command may last
  // Called when so much of the work, 0..1, is done.
  std::function<void(double)> on_progress;
};

struct Trial {
  std::size_t way = 0;           // 0: bare; else it is ways[way - 1]
  unsigned round = 0;            // from 0
  Ns wall = 0;                   // of the command alone
  Ns cpu = 0;                    // user and system, of the command alone
  std::uint64_t events = 0;      // recorded, of the whole machine, while the command ran
  std::uint64_t lost = 0;        // entries
  unsigned other_recorders = 0;  // seen before or after it; then no run is bare
};

struct Trials {
  std::vector<Trial> runs;  // of whole rounds, in their order
  unsigned rounds = 0;      // that are whole
  bool interrupted = false;
  std::optional<Error> failure;  // that ended it
};

// The ways of one round, in their order; 0 is bare.
std::vector<std::size_t> order_of_round(std::size_t ways, unsigned round);

// Fails if there can be no runs; what ends them is in the result.
Result<Trials> run_trials(const TrialOptions& options);

}  // namespace kutrace::record
