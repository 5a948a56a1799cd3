// SPDX-License-Identifier: BSD-3-Clause
// Counters of the machine and of processes, by intervals of time: as tables, as CSV, as JSON. In:
// readings and the intervals; out: lines. Levels are told as their mean over the interval, weighed
// by time; what counts up as its growth.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "base/time_window.h"
#include "emit/text/text_sink.h"
#include "model/readings.h"

namespace kutrace::emit {

struct IntervalReadings {
  Readings readings;
  std::vector<TimeWindow> intervals;
  std::function<std::string(Pid)> process_name;
};

// Of the machine what changed at all, of processes what changed in the interval.
void readings_table(const IntervalReadings& told, std::size_t width, const LineSink& line);
// All there is.
void readings_csv(const IntervalReadings& told, const LineSink& line);
void readings_json(const IntervalReadings& told, JsonText& json);

}  // namespace kutrace::emit
