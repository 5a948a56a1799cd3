// SPDX-License-Identifier: BSD-3-Clause
// What changed between two recordings, and whether it is more than noise. In: both sides' sums;
// out: a row per name with the shift of its time, what of it came from more of them and what from
// slower ones, and for time, count and mean the change with a 95 % interval and a verdict.
//
// All is per second of recording unless totals are asked for. Of one run a side, the variance of
// each side comes from its own blocks (block_bootstrap.h), so that swapping the sides changes signs
// alone; what runs differ by is not known then. Of several, it is that of the runs' numbers, by
// Welch's test (run_test.h), and never less than what blocks tell. Probabilities are corrected over
// all rows and measures by Holm's method: of ten or a hundred comparisons of equal runs, one in
// twenty may show a row that changed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "reports/diff_lacks.h"
#include "reports/diff_side.h"

namespace kutrace::reports {

constexpr double kDiffLevel = 0.05;

// A number of a name on both sides, and whether it changed.
struct DiffMeasure {
  double before = 0;
  double after = 0;
  bool tested = false;   // there is enough of it on a side, and blocks tell of noise
  double off = 0;        // half of the 95 % interval of the change; where tested
  double p = 1;          // the probability of such a change by chance; where tested
  double corrected = 1;  // the same, over all rows
  bool changed = false;

  double change() const { return after - before; }
  // In percent; infinite if there was nothing before.
  double growth() const;
};

struct DiffRow {
  DiffKey key;
  DiffSums before;
  DiffSums after;
  Ns shift = 0;      // of time; more + slower
  Ns more = 0;       // by another count, at the mean of before
  Ns slower = 0;     // by another mean, at the count of after
  DiffMeasure time;  // ns
  DiffMeasure count;
  DiffMeasure mean;  // ns
  // What a side lacks of what the row is made of, as lacking_for() says it. Then its numbers there
  // are none, the shift is 0 and nothing is tested.
  std::vector<std::string> before_lacks;
  std::vector<std::string> after_lacks;

  bool lacks() const { return !before_lacks.empty() || !after_lacks.empty(); }
  bool tested() const { return time.tested || count.tested || mean.tested; }
  bool changed() const { return time.changed || count.changed || mean.changed; }
};

struct DiffOptions {
  bool totals = false;  // instead of what there was per second
};

// A recording of a side.
struct DiffRun {
  DiffRows rows;
  Ns recorded = 0;
  bool noise = false;  // its blocks tell of it
  DiffLacks lacks = {};
};
using DiffRuns = std::vector<DiffRun>;

// Whether there is enough to tell chance from change.
bool tells_noise(const DiffRuns& before, const DiffRuns& after);

// Each side has a run at least. Numbers are means over a side's runs, sums those of all of them.
// Rows that changed come first, then by the size of their shift, most first; last those of which a
// side does not tell.
std::vector<DiffRow> diff(const DiffRuns& before, const DiffRuns& after,
                          const DiffOptions& options);

}  // namespace kutrace::reports
