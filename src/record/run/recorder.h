// SPDX-License-Identifier: BSD-3-Clause
// One recording: source, command, file, from start to the summary. In: options; out: a trace file,
// and its summary. record() is the usual course; Recording has its steps, for a caller that decides
// when each is due.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "format/event_groups.h"
#include "record/blocks/tally.h"
#include "record/proc/kernel_counts.h"
#include "record/run/cost.h"
#include "record/source/source.h"

namespace kutrace::record {

struct StartNotes {
  std::vector<std::string> lacking;  // what this kernel cannot show
  unsigned other_recorders = 0;      // that record now
  std::string why_ebpf;  // instead of the module; empty: it is the source that was chosen
};

constexpr Ns kUsualCounterPeriod = 100'000'000;
constexpr Ns kLeastCounterPeriod = 1'000'000;

struct RecordOptions : SourceOptions {
  std::string path = "trace.raw";
  SourceKind source = SourceKind::kEbpf;
  bool may_take_ebpf = false;               // where the module refuses
  std::uint32_t buffer_mb = 0;              // 0: a good size for the mode
  Ns duration = 0;                          // 0: until the command ends, or Ctrl-C
  std::uint64_t max_bytes = 0;              // 0: no limit
  Ns counter_period = kUsualCounterPeriod;  // of the group of counters
  std::vector<std::string> command;
  // Instead of a command: called when everything is recorded, begins what is to be. The recording
  // ends when the descriptor that it returns is readable.
  std::function<Result<int>()> begin;
  std::string command_line;  // of the recorder, for the trace; empty: not to be told
  std::string title;         // of the trace; empty: as the command
  // Called once before the recording starts.
  std::function<void(const StartNotes&)> on_start;
};

struct Summary {
  Tally tally;
  double seconds = 0;
  double kept_seconds = 0;  // the last of these, which the file holds; all but in mode wrap
  std::string path;         // of the file; another than was asked for if there was no room
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;  // entries
  std::uint64_t uncounted_losses = 0;
  std::vector<std::string> skipped_runs;  // of hooks, by the kernel: a line for each
  std::uint64_t unseen_switches = 0;
  double unseen_percent = 0;  // of the time of all CPUs
  std::size_t cpus = 0;
  unsigned other_recorders = 0;  // when it started
  Cost cost;
  std::optional<double> cost_percent;  // of the time of all CPUs
  std::vector<CountComparison> self_check;
  std::vector<std::string> unseen;  // what this kernel, or these options, cannot show
  std::vector<std::string> missed;
  std::string ended_by;     // a limit that ended it; empty: the command or Ctrl-C
  std::vector<Part> parts;  // of its start and its end
  // The file has what the filter leaves out: see SourceOptions::filter_at_end.
  bool leaves_filter = false;
  bool shows_own_only = false;  // what threads of this user do
  std::string vain_filter;      // it let no thread pass that ran; empty: it did, or nobody knows
  Pid command = kNoPid;
  std::optional<int> command_status;
  std::optional<int> interrupted_by;  // signal
  // The command could not be started, and there is no file; or the file is not all there is, or
  // not where it was to be.
  std::optional<Error> failure;
};

Result<Summary> record(const RecordOptions& options);

class Recorder;

// Modes fill and wrap only: the file is named, and written, when all is over.
class Recording {
 public:
  // Opens the source and measures the cost; nothing is recorded yet.
  static Result<Recording> open(RecordOptions options);
  Recording(Recording&& other) noexcept;
  Recording& operator=(Recording&& other) noexcept;
  ~Recording();

  Status start();
  // One round of work while recording; false if it must stop now.
  Result<bool> work();
  // Sleeps until the next round is due or the descriptor is readable.
  void pause(int fd) const;
  // While it records: "+net", "-faults". Returns what of it this kernel cannot show.
  Result<std::vector<std::string>> change_groups(const std::vector<std::string>& words);
  const EventGroups& groups() const;
  // While it records, if it began with some processes: "+12", "-13".
  Status change_processes(const std::vector<std::string>& words);
  std::string recorded_threads() const;
  // While it records, if it began with arguments: "+openat,net", "-read".
  Status change_arguments(const std::vector<std::string>& words);
  std::string recorded_arguments() const;
  Status stop();
  // May be repeated with another path if it fails.
  Result<Summary> write(const std::string& path);

  const RecordOptions& options() const;
  double seconds() const;
  std::uint64_t blocks_used() const;
  const std::string& ended_by() const;

 private:
  explicit Recording(std::unique_ptr<Recorder> recorder);
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace kutrace::record
