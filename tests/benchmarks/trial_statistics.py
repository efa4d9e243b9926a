"""Our statistics of trials beside R's rpact: `python -m tests.benchmarks.trial_statistics`.

Each line is a vector of the issue or of the notes, by our formulas and by rpact (Debian:
r-cran-rpact). Where R or rpact is not installed, every line says so and only the value expected is
compared. The module ends with an error where a figure of ours is further from the expected one than
its tolerance, or from rpact's than rpact's own tolerance here.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from core.stats.trial_design.means import repeated_factor, two_means_t
from core.stats.trial_design.multiplicity import dunnett_bound
from core.stats.trial_design.proportions import non_inferior_proportions, two_proportions
from core.stats.trial_design.sequential import Bounds, find_bounds, obrien_fleming
from core.stats.trial_design.survival import (
    Accrual,
    dropout_hazard,
    freedman_events,
    monthly_hazard,
    participants,
    piecewise,
    schoenfeld_events,
    weighted_power,
)
from tests.benchmarks.targets import say

ALPHA = 0.025
CONTROL = monthly_hazard(11.8)
LUNG = Accrual(20, 12, dropout_hazard(0.05))
SURVIVAL = (
    "getSampleSizeSurvival({design}, hazardRatio=.75, median2=11.8, accrualTime=c(0,20), "
    "followUpTime=12, dropoutRate1=.05, dropoutRate2=.05, dropoutTime=12)"
)
ONE = "getDesignGroupSequential(kMax=1, alpha=.025, beta=.1)"
TWO = 'getDesignGroupSequential(typeOfDesign="asOF", informationRates=c(.7,1), alpha=.025, beta=.1)'
THREE = (
    'getDesignGroupSequential(typeOfDesign="asOF", typeBetaSpending="bsOF", '
    "informationRates=c(.5,.75,1), bindingFutility=FALSE, alpha=.025, beta=.1)"
)


@dataclass(frozen=True)
class Vector:
    """A figure with what it has to be.

    Attributes:
        name: What it is.
        ours: By our formulas.
        expected: Of the issue or the notes.
        within: How far ours may be from it.
        code: R that prints rpact's figure; "" where rpact has none.
        apart: How far ours may be from rpact's.
    """

    name: str
    ours: float
    expected: float
    within: float
    code: str = ""
    apart: float = 5e-4


def list_vectors() -> Iterator[Vector]:
    """Yield every figure."""
    yield from _survival()
    yield from _looks()
    yield from _others()


def _survival() -> Iterator[Vector]:
    events = schoenfeld_events(0.75, ALPHA, 0.9)
    total = participants(events, (CONTROL, 0.75 * CONTROL), LUNG)
    code = SURVIVAL.format(design=ONE)
    yield Vector("events, HR .75", events, 507.84, 0.005, f"{code}$maxNumberOfEvents", 0.01)
    yield Vector("N, HR .75", total, 801.15, 0.01, f"{code}$maxNumberOfSubjects", 0.02)
    for ratio, power, allocation, wanted in ((0.7, 0.9, 1, 330.38), (0.65, 0.9, 2, 254.80)):
        found = schoenfeld_events(ratio, ALPHA, power, allocation)
        more = (
            f"getSampleSizeSurvival(alpha=.025, beta={1 - power:.2f}, hazardRatio={ratio}, "
            f"median2=12, allocationRatioPlanned={allocation}, accrualTime=c(0,12), "
            "followUpTime=12)$maxNumberOfEvents"
        )
        yield Vector(f"events, HR {ratio}", found, wanted, 0.005, more, 0.01)
    freedman = freedman_events(0.7, ALPHA, 0.9)
    code = (
        "getSampleSizeSurvival(alpha=.025, beta=.1, hazardRatio=.7, median2=12, "
        'typeOfComputation="Freedman", accrualTime=c(0,12), followUpTime=12)$maxNumberOfEvents'
    )
    yield Vector("events by Freedman, HR .70", freedman, 337.41, 0.005, code, 0.01)
    late = (piecewise([CONTROL], [0]), piecewise([CONTROL, 0.65 * CONTROL], [0, 4]))
    yield Vector("power, delay of 4 months", weighted_power(late, 800, LUNG, ALPHA), 0.895, 0.01)
    weighted = weighted_power(late, 800, LUNG, ALPHA, weights=(0, 1))
    yield Vector("power, delay, FH(0,1)", weighted, 0.959, 0.01)


def _looks() -> Iterator[Vector]:
    two = find_bounds((0.7, 1), ALPHA, 0.9)
    events = schoenfeld_events(0.75, ALPHA, 0.9) * two.inflation
    code = SURVIVAL.format(design=TWO)
    yield Vector("events, looks .7 and 1", events, 514.88, 0.01, f"{code}$maxNumberOfEvents", 0.02)
    yield from _bounds("looks .7 and 1: z", two.success, (2.4380, 1.9999), TWO, "criticalValues")
    three: Bounds = find_bounds((0.5, 0.75, 1), ALPHA, 0.9, beta_spending=obrien_fleming)
    wanted = (2.9626, 2.3590, 2.0141)
    yield from _bounds("looks .5, .75, 1: z", three.success, wanted, THREE, "criticalValues")
    futility = three.futility[:2]
    yield from _bounds("futility: z", futility, (0.3316, 1.2917), THREE, "futilityBounds")
    code = f"getDesignCharacteristics({THREE})$inflationFactor"
    yield Vector("inflation", three.inflation, 1.0828, 6e-5, code, 1e-4)


def _bounds(
    name: str, ours: tuple[float, ...], wanted: tuple[float, ...], design: str, field: str
) -> Iterator[Vector]:
    for place, (value, expected) in enumerate(zip(ours, wanted, strict=True), start=1):
        code = f"{design}${field}[{place}]"
        yield Vector(f"{name} {place}", value, expected, 6e-5, code, 2e-4)


def _others() -> Iterator[Vector]:
    total = 2 * non_inferior_proportions(0.85, 0.85, 0.10, ALPHA, 0.9)
    code = (
        "getSampleSizeRates(alpha=.025, beta=.1, thetaH0=-.10, pi1=.85, pi2=.85)"
        "$maxNumberOfSubjects"
    )
    yield Vector("non-inferiority .85, margin .10", total, 551.5, 0.05, code, 0.1)
    total = 2 * two_proportions(0.5, 0.3, ALPHA, 0.9)
    code = "getSampleSizeRates(alpha=.025, beta=.1, pi1=.5, pi2=.3)$maxNumberOfSubjects"
    yield Vector("shares .30 and .50", total, 248.0, 0.1, code, 0.1)
    for difference, deviation, wanted in ((0.5, 1.0, 170.06), (0.4, 1.1, 319.78)):
        total = 2 * two_means_t(difference, deviation, ALPHA, 0.9)
        code = (
            f"getSampleSizeMeans(alpha=.025, beta=.1, alternative={difference}, "
            f"stDev={deviation})$maxNumberOfSubjects"
        )
        yield Vector(f"means {difference}/{deviation}", total, wanted, 0.01, code, 0.01)
    visits = np.arange(4)
    factor = repeated_factor(0.7 ** abs(visits[:, None] - visits), (1, 0.95, 0.9, 0.85))
    yield Vector("repeated measures, factor", factor, 1.1242, 5e-5)
    for arms, wanted in ((2, 2.2122), (3, 2.3482), (4, 2.4407)):
        yield Vector(f"Dunnett, {arms} arms", dunnett_bound(arms, ALPHA), wanted, 0.0012)
    yield Vector("z of .025", float(norm.isf(ALPHA)), 1.96, 1e-4, f"{ONE}$criticalValues[1]", 1e-6)


def ask_rpact(codes: list[str]) -> list[float] | None:
    """Return what rpact gives; None where it is not installed."""
    if shutil.which("Rscript") is None:
        return None
    lines = [f"cat(as.numeric({code})[1], '\\n')" for code in codes]
    script = "\n".join(["options(digits=10)", "suppressMessages(library(rpact))", *lines])
    done = subprocess.run(["Rscript", "-e", script], capture_output=True, check=False, text=True)
    if done.returncode:
        say(f"rpact does not answer: {done.stderr.strip()[-200:]}")
        return None
    return [float(line) for line in done.stdout.split()]


def main(ask: Callable[[list[str]], list[float] | None] = ask_rpact) -> int:
    """Print every figure; return how many are off."""
    vectors = list(list_vectors())
    told = ask([one.code for one in vectors if one.code])
    if told is None:
        say("SKIPPED: rpact is not installed (Debian: r-cran-rpact); expected values alone")
    beside = iter(told or ())
    off = 0
    for one in vectors:
        other = next(beside, None) if one.code and told is not None else None
        is_off = abs(one.ours - one.expected) > one.within
        is_off |= other is not None and abs(one.ours - other) > one.apart
        off += is_off
        shown = "none" if not one.code else "skipped" if other is None else f"{other:.4f}"
        mark = "  OFF" if is_off else ""
        figures = f"ours {one.ours:10.4f}  expected {one.expected:10.4f}"
        say(f"{one.name:34} {figures}  rpact {shown}{mark}")
    say(f"{len(vectors)} figures, {off} off")
    return off


if __name__ == "__main__":
    sys.exit(min(1, main()))
