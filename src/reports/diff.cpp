// SPDX-License-Identifier: BSD-3-Clause
// Setting two sides against each other.
#include "reports/diff.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "reports/block_bootstrap.h"
#include "reports/run_test.h"
#include "reports/significance.h"

namespace kutrace::reports {

namespace {

// With fewer blocks that have any of it, on either side, there is no telling chance from change.
constexpr std::size_t kLeastBlocks = 5;
// Of sums, in ns: far above what any recording holds, far below what does not fit.
constexpr double kMostTime = 0x1p60;

// What its own blocks tell of one side of a row.
struct SideNoise {
  double time = 0;  // variances of the sums, and of the mean
  double count = 0;
  double mean = 0;
};

Ns whole(double time) {
  return static_cast<Ns>(std::llround(std::clamp(time, -kMostTime, kMostTime)));
}

// Where blocks do not vary at all, the edges of what was looked at remain: whether one more falls
// in, and by how much a clock of 16 ns is off for each.
constexpr double kLeastCountVariance = 0.25;
constexpr double kLeastVarianceOfOne = 16.0 * 16.0;

SideNoise noise_of(const DiffSums& sums, const BlockBootstrap& bootstrap) {
  SideNoise noise;
  const BlockSeries times = sums.blocks.times();
  const BlockSeries counts = sums.blocks.counts();
  const auto all = static_cast<double>(sums.count);
  noise.time = std::max(bootstrap.variance(times), all * kLeastVarianceOfOne) + sums.long_squares;
  if (sums.count == 0) return noise;
  noise.count = std::max(bootstrap.variance(counts), kLeastCountVariance);
  // A mean is off by what time and count do not share.
  BlockSeries apart{};
  for (std::size_t i = 0; i < apart.size(); ++i) apart[i] = times[i] - sums.mean() * counts[i];
  noise.mean =
      (std::max(bootstrap.variance(apart), all * kLeastVarianceOfOne) + sums.long_squares) /
      (all * all);
  return noise;
}

// `before` and `after` are variances of the measure's two numbers.
void test(DiffMeasure& measure, double before, double after) {
  measure.tested = true;
  const double sum = before + after;
  if (sum <= 0) {  // neither varies at all
    measure.p = measure.change() == 0 ? 1 : 0;
    return;
  }
  const double freedom = BlockBootstrap::kFreedom * sum * sum / (before * before + after * after);
  const double error = std::sqrt(sum);
  measure.off = critical(kDiffLevel, freedom) * error;
  measure.p = two_sided(std::abs(measure.change()) / error, freedom);
}

// A measure of the runs of a side, and what their own blocks tell of its mean's variance.
struct SideRuns {
  std::vector<double> time;
  std::vector<double> count;
  std::vector<double> mean;  // of those that have any
  SideNoise noise;           // of the means over the runs
  DiffSums sums;             // of all runs
  std::size_t most_blocks = 0;
};

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0 : run_group(values).mean;
}

void test_runs(DiffMeasure& measure, const std::vector<double>& before,
               const std::vector<double>& after, double least_before, double least_after) {
  if (before.empty() || after.empty() || before.size() + after.size() < 3) return;
  const RunTest told = run_test(before, after, least_before, least_after);
  measure.tested = true;
  measure.p = told.p;
  if (told.error > 0) measure.off = critical(kDiffLevel, told.freedom) * told.error;
}

class Comparison {
 public:
  Comparison(const DiffRuns& before, const DiffRuns& after, const DiffOptions& options)
      : before_(before),
        after_(after),
        noise_(tells_noise(before, after)),
        single_(before.size() == 1 && after.size() == 1),
        options_(options),
        before_lacks_(lacks_of(before)),
        after_lacks_(lacks_of(after)),
        common_(before.front().lacks) {
    for (const DiffRuns* side : {&before, &after})
      for (const DiffRun& run : *side) common_ = common_.in_common(run.lacks);
  }

  DiffRow row(const DiffKey& key) const {
    const SideRuns before = side(key, before_);
    const SideRuns after = side(key, after_);
    DiffRow row{key, before.sums, after.sums, 0, 0, 0, {}, {}, {}, {}, {}};
    const Ns old_time = whole(mean_of(before.time));
    const Ns new_time = whole(mean_of(after.time));
    row.time.before = static_cast<double>(old_time);
    row.time.after = static_cast<double>(new_time);
    row.count.before = mean_of(before.count);
    row.count.after = mean_of(after.count);
    row.mean.before = mean_of(before.mean);
    row.mean.after = mean_of(after.mean);
    row.before_lacks = lacking_for(key, before_lacks_, common_);
    row.after_lacks = lacking_for(key, after_lacks_, common_);
    if (row.lacks()) return row;
    row.shift = new_time - old_time;
    // What there was none of before has no mean to compare with.
    row.more = before.sums.count == 0 ? row.shift : whole(row.count.change() * row.mean.before);
    row.slower = row.shift - row.more;
    if (noise_) test_all(row, before, after);
    return row;
  }

 private:
  static DiffLacks lacks_of(const DiffRuns& runs) {
    DiffLacks lacks;
    for (const DiffRun& run : runs) lacks = lacks.with(run.lacks);
    return lacks;
  }

  double scale(Ns recorded) const {
    return options_.totals ? 1 : 1e9 / static_cast<double>(std::max<Ns>(1, recorded));
  }

  SideRuns side(const DiffKey& key, const DiffRuns& runs) const {
    SideRuns side;
    const DiffSums none;
    const auto share = 1 / (static_cast<double>(runs.size()) * static_cast<double>(runs.size()));
    double mean_noise = 0;
    for (const DiffRun& run : runs) {
      const auto found = run.rows.find(key);
      const DiffSums& sums = found == run.rows.end() ? none : found->second;
      const double per = scale(run.recorded);
      side.time.push_back(static_cast<double>(sums.total) * per);
      side.count.push_back(static_cast<double>(sums.count) * per);
      if (sums.count != 0) side.mean.push_back(sums.mean());
      side.most_blocks = std::max(side.most_blocks, sums.blocks.used());
      side.sums.add(sums);
      if (!run.noise) continue;
      const SideNoise noise = noise_of(sums, bootstrap_);
      side.noise.time += noise.time * per * per * share;
      side.noise.count += noise.count * per * per * share;
      mean_noise += noise.mean;
    }
    const auto with_mean = static_cast<double>(std::max<std::size_t>(1, side.mean.size()));
    side.noise.mean = mean_noise / (with_mean * with_mean);
    return side;
  }

  void test_all(DiffRow& row, const SideRuns& before, const SideRuns& after) const {
    if (std::max(before.most_blocks, after.most_blocks) < kLeastBlocks) return;
    const bool means = !before.mean.empty() && !after.mean.empty();
    if (single_) {
      test(row.time, before.noise.time, after.noise.time);
      test(row.count, before.noise.count, after.noise.count);
      if (means) test(row.mean, before.noise.mean, after.noise.mean);
      return;
    }
    test_runs(row.time, before.time, after.time, before.noise.time, after.noise.time);
    test_runs(row.count, before.count, after.count, before.noise.count, after.noise.count);
    test_runs(row.mean, before.mean, after.mean, before.noise.mean, after.noise.mean);
  }

  const DiffRuns& before_;
  const DiffRuns& after_;
  bool noise_;
  bool single_;
  DiffOptions options_;
  DiffLacks before_lacks_;  // what some run of the side does
  DiffLacks after_lacks_;
  DiffLacks common_;  // what all runs do
  BlockBootstrap bootstrap_;
};

void correct(std::vector<DiffRow>& rows) {
  std::vector<DiffMeasure*> tested;
  std::vector<double> probabilities;
  for (DiffRow& row : rows) {
    for (DiffMeasure* measure : {&row.time, &row.count, &row.mean}) {
      if (!measure->tested) continue;
      tested.push_back(measure);
      probabilities.push_back(measure->p);
    }
  }
  const std::vector<double> corrected = holm_corrected(probabilities);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->corrected = corrected[i];
    tested[i]->changed = corrected[i] < kDiffLevel;
  }
}

bool comes_first(const DiffRow& a, const DiffRow& b) {
  if (a.changed() != b.changed()) return a.changed();
  if (a.lacks() != b.lacks()) return b.lacks();
  const Ns most_of_a = std::max(a.before.total, a.after.total);
  const Ns most_of_b = std::max(b.before.total, b.after.total);
  if (a.lacks() && most_of_a != most_of_b) return most_of_a > most_of_b;
  if (std::abs(a.shift) != std::abs(b.shift)) return std::abs(a.shift) > std::abs(b.shift);
  return a.key < b.key;
}

}  // namespace

double DiffMeasure::growth() const {
  if (before == 0) return after == 0 ? 0 : std::numeric_limits<double>::infinity();
  return 100 * (after - before) / before;
}

bool tells_noise(const DiffRuns& before, const DiffRuns& after) {
  if (before.size() + after.size() > 2) return true;
  return before.front().noise && after.front().noise;
}

std::vector<DiffRow> diff(const DiffRuns& before, const DiffRuns& after,
                          const DiffOptions& options) {
  const Comparison comparison(before, after, options);
  std::set<DiffKey> keys;
  for (const DiffRuns* const side : {&before, &after}) {
    for (const DiffRun& run : *side) {
      for (const auto& [key, sums] : run.rows) keys.insert(key);
    }
  }
  std::vector<DiffRow> rows;
  for (const DiffKey& key : keys) rows.push_back(comparison.row(key));
  correct(rows);
  std::ranges::sort(rows, comes_first);
  return rows;
}

}  // namespace kutrace::reports
