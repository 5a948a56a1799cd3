// SPDX-License-Identifier: BSD-3-Clause
// What is odd in a trace: as sentences, as CSV, as JSON. In: what was found; out: lines, or one
// text. Times in CSV and JSON are nanoseconds.
#pragma once

#include <string>
#include <vector>

#include "emit/text/text_sink.h"
#include "emit/text/wrapped_lines.h"
#include "odd/detectors.h"

namespace kutrace::emit {

struct OddFinding {
  odd::Finding finding;
  std::string subject;  // "gcc.77", "CPU 3"; empty: the whole machine
  Pid pid = kNoPid;
};

struct OddAnswer {
  std::string file;  // as commands are to name it
  Ns recorded = 0;
  std::size_t cpus = 0;
  std::vector<OddFinding> findings;  // most costly first
  Facts facts;                       // of the trace: what detectors could look at
  bool frequencies = false;          // it tells some of CPUs
  std::size_t width = kTextWidth;    // of a line of the story
};

void odd_story(const OddAnswer& answer, const LineSink& line);
void odd_csv(const OddAnswer& answer, const LineSink& line);
std::string odd_json(const OddAnswer& answer);

// Every detector, what it looks for and what triggers it.
void odd_list(const LineSink& line);
void odd_list_csv(const LineSink& line);
std::string odd_list_json();

}  // namespace kutrace::emit
