#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of kutrace diff, judged by scipy.

statistics_test.py KUTRACE_STATISTICS: Student's t distribution against scipy.stats.t; Holm's method
against what it abbreviates, Bonferroni's test of every set of hypotheses; variances of resampled
blocks against resamples drawn here, and against the true ones of series that are known. Prints every
difference, exits 1 if there is one, 77 where scipy is missing.
"""
import itertools
import os
import subprocess
import sys

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


def main(program):
    findings = [finding for judge in (student, holm, variance, true_variance)
                for finding in judge(program)]
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
