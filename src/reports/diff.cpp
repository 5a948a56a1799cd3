// SPDX-License-Identifier: BSD-3-Clause
// Setting two sides against each other.
#include "reports/diff.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reports/block_bootstrap.h"
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

SideNoise noise_of(const DiffSums& sums, const BlockBootstrap& bootstrap) {
  SideNoise noise;
  const BlockSeries times = sums.blocks.times();
  const BlockSeries counts = sums.blocks.counts();
  noise.time = bootstrap.variance(times) + sums.long_squares;
  noise.count = bootstrap.variance(counts);
  if (sums.count == 0) return noise;
  // A mean is off by what time and count do not share.
  BlockSeries apart{};
  for (std::size_t i = 0; i < apart.size(); ++i) apart[i] = times[i] - sums.mean() * counts[i];
  const auto count = static_cast<double>(sums.count);
  noise.mean = (bootstrap.variance(apart) + sums.long_squares) / (count * count);
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

class Comparison {
 public:
  Comparison(Ns before_recorded, Ns after_recorded, bool noise, const DiffOptions& options)
      : before_(scale(before_recorded, options)),
        after_(scale(after_recorded, options)),
        noise_(noise) {}

  DiffRow row(const DiffKey& key, const DiffSums& before, const DiffSums& after) const {
    DiffRow row{key, before, after, 0, 0, 0, {}, {}, {}};
    const Ns old_time = whole(static_cast<double>(before.total) * before_);
    const Ns new_time = whole(static_cast<double>(after.total) * after_);
    row.time.before = static_cast<double>(old_time);
    row.time.after = static_cast<double>(new_time);
    row.count.before = static_cast<double>(before.count) * before_;
    row.count.after = static_cast<double>(after.count) * after_;
    row.mean.before = before.mean();
    row.mean.after = after.mean();
    row.shift = new_time - old_time;
    // What there was none of before has no mean to compare with.
    row.more = before.count == 0 ? row.shift : whole(row.count.change() * row.mean.before);
    row.slower = row.shift - row.more;
    if (noise_) test_all(row);
    return row;
  }

 private:
  static double scale(Ns recorded, const DiffOptions& options) {
    return options.totals ? 1 : 1e9 / static_cast<double>(std::max<Ns>(1, recorded));
  }

  void test_all(DiffRow& row) const {
    if (std::max(row.before.blocks.used(), row.after.blocks.used()) < kLeastBlocks) return;
    const SideNoise before = noise_of(row.before, bootstrap_);
    const SideNoise after = noise_of(row.after, bootstrap_);
    const double old_scale = before_ * before_;
    const double new_scale = after_ * after_;
    test(row.time, before.time * old_scale, after.time * new_scale);
    test(row.count, before.count * old_scale, after.count * new_scale);
    if (row.before.count != 0 && row.after.count != 0) test(row.mean, before.mean, after.mean);
  }

  double before_;
  double after_;
  bool noise_;
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
  if (std::abs(a.shift) != std::abs(b.shift)) return std::abs(a.shift) > std::abs(b.shift);
  return a.key < b.key;
}

}  // namespace

double DiffMeasure::growth() const {
  if (before == 0) return after == 0 ? 0 : std::numeric_limits<double>::infinity();
  return 100 * (after - before) / before;
}

std::vector<DiffRow> diff(const DiffRows& before, Ns before_recorded, const DiffRows& after,
                          Ns after_recorded, bool noise, const DiffOptions& options) {
  const Comparison comparison(before_recorded, after_recorded, noise, options);
  const DiffSums none;
  std::vector<DiffRow> rows;
  for (const auto& [key, sums] : before) {
    const auto found = after.find(key);
    rows.push_back(comparison.row(key, sums, found == after.end() ? none : found->second));
  }
  for (const auto& [key, sums] : after) {
    if (!before.contains(key)) rows.push_back(comparison.row(key, none, sums));
  }
  correct(rows);
  std::ranges::sort(rows, comes_first);
  return rows;
}

}  // namespace kutrace::reports
