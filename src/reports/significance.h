// SPDX-License-Identifier: BSD-3-Clause
// Whether a difference could be chance. In: differences in units of their standard errors, with
// degrees of freedom (Student's t distribution); out: probabilities, and how far apart is too far.
// Many probabilities together are corrected by Holm's method, which needs no assumption about how
// they depend on each other.
#pragma once

#include <vector>

namespace kutrace::reports {

// The probability of a difference of at least |t|, to either side, by chance.
double two_sided(double t, double freedom);
// The t that chance exceeds, to either side, with a probability of `level`.
double critical(double level, double freedom);

// So that the probability of even one below a level by chance is below that level.
std::vector<double> holm_corrected(const std::vector<double>& probabilities);

}  // namespace kutrace::reports
