#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of kutrace diff and kutrace overhead, judged by scipy.

statistics_test.py KUTRACE_STATISTICS: Student's t distribution against scipy.stats.t; Holm's method
against what it abbreviates, Bonferroni's test of every set of hypotheses; variances of resampled
blocks against resamples drawn here, and against the true ones of series that are known; Mann and
Whitney's test against scipy's, exact and with ties; quantiles against numpy's; the bootstrap of two
medians against scipy's; the smallest effect that can be found against scipy's t. Prints every
difference, exits 1 if there is one, 77 where scipy is missing.
"""
import itertools
import os
import subprocess
import sys
import warnings

try:
    import numpy
    from scipy import stats
except ImportError as missing:
    print(f"SKIPPED: {missing}; install python3-scipy (scripts/setup test)")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)

BLOCKS = 80
RUNS = (4, 16)


def asked(program, questions):
    text = "".join(f"{name} {' '.join(repr(float(n)) for n in numbers)}\n"
                   for name, numbers in questions)
    run = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    answers = [[float(word) for word in line.split()] for line in run.stdout.splitlines()]
    assert len(answers) == len(questions)
    return answers


def differences(name, questions, answers, known, relative):
    for (_, numbers), answer, right in zip(questions, answers, known):
        if len(answer) != len(right) or any(
                abs(a - r) > relative * abs(r) + 1e-300 for a, r in zip(answer, right)):
            yield f"{name} {list(numbers)[:4]}: {answer[:4]}, scipy says {right[:4]}"


def student(program):
    # Tails as far as 1e-200: what many rows are corrected with.
    tails = [("two_sided", (t, freedom)) for freedom in (1, 2, 5.5, 14, 27.3, 100, 1e4)
             for t in (0, 1e-6, 0.1, 1, 2, 5, 10, 40, 1000) if freedom < 1000 or t < 30]
    known = [[2 * stats.t.sf(t, freedom)] for _, (t, freedom) in tails]
    yield from differences("two_sided", tails, asked(program, tails), known, 1e-9)
    bounds = [("critical", (level, freedom)) for freedom in (1, 3, 14, 28, 1000)
              for level in (0.5, 0.05, 0.001, 1e-8)]
    known = [[stats.t.isf(level / 2, freedom)] for _, (level, freedom) in bounds]
    yield from differences("critical", bounds, asked(program, bounds), known, 1e-7)


def runs_of_sides(program):
    """Means of runs: Welch's test, and Student's of one run against several."""
    random = numpy.random.default_rng(7)
    questions, known = [], []
    for before, after in itertools.product((1, 2, 3, 5, 10), repeat=2):
        if before + after < 3:
            continue
        for shift in (0, 1, 30):
            one = random.normal(1000, 3, before)
            other = random.normal(1000 + shift, 9 if min(before, after) > 1 else 3, after)
            welch = min(before, after) > 1
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of one run scipy says that it does not vary
                test = stats.ttest_ind(other, one, equal_var=not welch)
            interval = [numpy.var(side, ddof=1) if len(side) > 1 else None for side in (one, other)]
            if welch:
                parts = [interval[0] / before, interval[1] / after]
                freedom = sum(parts) ** 2 / (parts[0] ** 2 / (before - 1) +
                                             parts[1] ** 2 / (after - 1))
            else:
                variance = interval[0] if interval[1] is None else interval[1]
                parts = [variance / before, variance / after]
                freedom = before + after - 2
            questions.append(("run_test", [before, *one, *other]))
            known.append([sum(parts) ** 0.5, freedom, test.pvalue])
    yield from differences("run_test", questions, asked(program, questions), known, 1e-9)


def closed_test(probabilities):
    """A hypothesis falls if every set that it is in falls; Bonferroni decides of a set."""
    corrected = []
    for i in range(len(probabilities)):
        others = [p for j, p in enumerate(probabilities) if j != i]
        worst = 0.0
        for size in range(len(others) + 1):
            for some in itertools.combinations(others, size):
                together = (*some, probabilities[i])
                worst = max(worst, min(1.0, len(together) * min(together)))
        corrected.append(worst)
    return corrected


def holm(program):
    random = numpy.random.default_rng(3)
    questions = [("holm", list(random.random(n) ** power))
                 for n in range(1, 10) for power in (1, 3, 8)]
    questions.append(("holm", [0.01, 0.01, 0.5, 0.01]))
    known = [closed_test(numbers) for _, numbers in questions]
    yield from differences("holm", questions, asked(program, questions), known, 1e-12)


def resampled(series, length, random):
    runs = numpy.array([numpy.roll(series, -begin)[:length].sum() for begin in range(BLOCKS)])
    drawn = runs[random.integers(0, BLOCKS, (20_000, BLOCKS // length))].sum(axis=1)
    return drawn.var() * BLOCKS / (BLOCKS - length)


def neighbours(random, kept):
    series = [random.normal()]
    for _ in range(BLOCKS - 1):
        series.append(kept * series[-1] + (1 - kept ** 2) ** 0.5 * random.normal())
    return numpy.array(series) + 5


def variance(program):
    random = numpy.random.default_rng(4)
    series = [neighbours(random, kept) for kept in (0, 0.3, 0.6, 0.9) for _ in range(20)]
    questions = [("variance", list(one)) for one in series]
    known = [[max(one.var(ddof=1) * BLOCKS, *(resampled(one, length, random) for length in RUNS))]
             for one in series]
    # 2,000 resamples tell a variance to 3 %.
    yield from differences("variance", questions, asked(program, questions), known, 0.12)


def true_variance(program):
    random = numpy.random.default_rng(5)
    for kept in (0, 0.3, 0.6):
        many = [("variance", list(neighbours(random, kept))) for _ in range(300)]
        told = numpy.mean([answer[0] for answer in asked(program, many)])
        lags = numpy.abs(numpy.subtract.outer(numpy.arange(BLOCKS), numpy.arange(BLOCKS)))
        true = (float(kept) ** lags).sum()
        if not 0.85 <= told / true <= 1.35:
            yield f"variance, {kept} kept: {told:.1f} told, {true:.1f} true"


def samples(random):
    """Pairs of samples as runs of a command give them: skewed, of unequal size, shifted."""
    for before, after in ((1, 1), (1, 7), (2, 2), (3, 5), (8, 8), (20, 20), (13, 20), (20, 3)):
        for shift in (0, 0.3, 2):
            yield random.lognormal(0, 0.7, before), random.lognormal(0, 0.7, after) + shift


def tied(random):
    """The same, in whole numbers, and larger than what is told exactly."""
    for before, after in ((2, 2), (5, 4), (20, 20), (21, 21), (40, 60), (300, 300)):
        for most in (1, 3, 50):
            yield (random.integers(0, most + 1, before).astype(float),
                   random.integers(0, most + 2, after).astype(float))
    yield random.normal(0, 1, 21), random.normal(0.5, 1, 21)
    yield random.normal(0, 1, 200), random.normal(0.2, 1, 150)


def question(name, before, after, *more):
    return name, [*more, len(before), *before, *after]


def scipy_rank_test(before, after, exact):
    if len(set(before) | set(after)) == 1:
        return len(before) * len(after) / 2, 1.0  # scipy divides by zero
    test = stats.mannwhitneyu(after, before, alternative="two-sided", use_continuity=True,
                              method="exact" if exact else "asymptotic")
    return test.statistic, test.pvalue


def rank_test(program):
    random = numpy.random.default_rng(6)
    pairs = [*samples(random), *tied(random)]
    known = []
    for before, after in pairs:
        ties = len({*before, *after}) < len(before) + len(after)
        exact = not ties and max(len(before), len(after)) <= 20
        known.append([*scipy_rank_test(before, after, exact), float(exact)])
    questions = [question("rank_test", *pair) for pair in pairs]
    yield from differences("rank_test", questions, asked(program, questions), known, 1e-9)
    if not {0.0, 1.0} <= {answer[2] for answer in known}:
        yield "rank_test: not both ways to reckon were asked for"


def quantile(program):
    random = numpy.random.default_rng(7)
    questions = [("quantile", [share, *sorted(random.normal(0, 1, size))])
                 for size in (1, 2, 3, 10, 20, 41) for share in (0, 0.025, 0.5, 0.95, 0.975, 1)]
    known = [[numpy.quantile(numbers[1:], numbers[0])] for _, numbers in questions]
    yield from differences("quantile", questions, asked(program, questions), known, 1e-12)


def median_difference(before, after, axis=-1):
    return numpy.median(after, axis=axis) - numpy.median(before, axis=axis)


def median_shift(program):
    """Two bootstraps differ by their draws: ends of intervals by some hundredths of their length."""
    random = numpy.random.default_rng(8)
    pairs = [pair for pair in samples(random) if min(map(len, pair)) >= 8]
    pairs += [(random.normal(0, 1, 41), random.normal(1, 2, 41)) for _ in range(4)]
    questions = [question("median_shift", *pair) for pair in pairs]
    for (before, after), (shift, low, high, error) in zip(pairs, asked(program, questions)):
        known = stats.bootstrap((before, after), median_difference, method="percentile",
                                vectorized=True, n_resamples=40_000, random_state=1)
        length = known.confidence_interval.high - known.confidence_interval.low
        off = max(abs(low - known.confidence_interval.low),
                  abs(high - known.confidence_interval.high))
        if (shift != median_difference(before, after) or off > 0.08 * length or
                abs(error / known.standard_error - 1) > 0.04):
            yield (f"median_shift {len(before)}, {len(after)}: {shift} {low} {high} {error}, scipy "
                   f"says {known}")


def detectable(program):
    """The definition: both quantiles of Student's t, times the standard error that was told."""
    random = numpy.random.default_rng(9)
    asked_for = []
    for size in (2, 4, 10, 20):
        for ways in (1, 9):
            times = random.lognormal(0, 0.5, (2, size)) * 1e6
            asked_for.append((size, ways, numpy.round(times)))
    questions = [question("detectable", *times, ways) for _, ways, times in asked_for]
    for (size, ways, times), answer in zip(asked_for, asked(program, questions)):
        freedom = 2 * size - 2
        factor = stats.t.isf(0.05 / ways / 2, freedom) + stats.t.ppf(0.8, freedom)
        exact = len(numpy.unique(times)) == times.size
        p = scipy_rank_test(*times, exact)[1]
        if (abs(answer[0] / (factor * answer[1]) - 1) > 1e-6 or
                abs(answer[2] / min(1, ways * p) - 1) > 1e-9):
            yield f"detectable {size}, {ways}: {answer}, factor {factor}, p {p}"


def main(program):
    judges = (student, runs_of_sides, holm, variance, true_variance, rank_test, quantile,
              median_shift, detectable)
    findings = [finding for judge in judges
                for finding in judge(program)]
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
