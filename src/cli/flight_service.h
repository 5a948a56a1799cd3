// SPDX-License-Identifier: BSD-3-Clause
// The course of `kutrace flight`: records, follows what is recorded, and writes a snapshot where a
// trigger fires. In: what was asked for; out: files, and sentences on standard error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "cli/snapshot_folder.h"
#include "live/trigger.h"
#include "record/flight/flight_recorder.h"

namespace kutrace::cli {

struct FlightWish {
  record::FlightOptions flight;
  std::vector<live::Trigger> triggers;
  std::string folder;
  SnapshotLimits limits;
  Ns before = 0;
  Ns after = 0;
  Ns every = 0;
  std::string on_snapshot;
  double max_share = 0;  // of the time of all CPUs, 0..1, that it may cost; 0: no limit
  bool at_end = false;   // a snapshot when it ends
  Ns duration = 0;       // 0: until a signal
};

Result<int> run_flight(const FlightWish& wish);

}  // namespace kutrace::cli
