"""How precedents vote: on the primary endpoint, on the control, on the number of participants.

A trial weighs by how near it is to the setting; the weights are our own and are told.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from typing import TypeVar

from core.agents.clinical_trial_design.asked import Asked
from core.agents.clinical_trial_design.records import ComparatorType
from core.briefs.precedents import Ranked
from core.records.precedents import Control, SettingTrial
from core.vocabulary.endpoints import classify_measure, load_measures

STEEPNESS = 12.0
"""Points of match that make a trial weigh e times as much."""
OLD_YEAR = 2010
OLD_WEIGHT = 0.6
OTHER_PHASE = 0.4
CONTROLS: dict[Control, ComparatorType] = {
    "active": "active",
    "placebo": "placebo",
    "add-on placebo": "add_on_placebo",
    "single arm": "single_arm",
    "dose": "dose_control",
}
Vote = TypeVar("Vote", bound=Hashable)
Trials = Sequence[Ranked[SettingTrial]]


def weigh(one: Ranked[SettingTrial], best: int) -> float:
    """Return how much a trial weighs: 1 for the nearest, less by match, age and phase."""
    age = OLD_WEIGHT if one.row.start_on and one.row.start_on[:4] < str(OLD_YEAR) else 1.0
    phase = 1.0 if one.match.parts.get("phase", 1.0) == 1.0 else OTHER_PHASE
    return age * phase * math.exp((one.match.score - best) / STEEPNESS)


def count(
    trials: Trials, tell: Callable[[SettingTrial], Iterable[Vote]]
) -> list[tuple[Vote, float, int]]:
    """Return what trials tell with weight and number, the heaviest first.

    Args:
        trials: Ranked trials.
        tell: What a trial votes for; several share its weight.
    """
    best = max((one.match.score for one in trials), default=0)
    weights: dict[Vote, float] = {}
    numbers: Counter[Vote] = Counter()
    for one in trials:
        said = list(dict.fromkeys(tell(one.row)))
        for vote in said:
            weights[vote] = weights.get(vote, 0.0) + weigh(one, best) / len(said)
            numbers[vote] += 1
    order = sorted(weights, key=lambda vote: (-weights[vote], str(vote)))
    return [(vote, weights[vote], numbers[vote]) for vote in order]


@cache
def is_efficacy(name: str) -> bool:
    """Return whether an endpoint class speaks of efficacy, as a pivotal endpoint must."""
    sides = {one.name: one.side for one in load_measures()}
    side = sides.get(name) or classify_measure(name).side
    return side not in {"safety", "exposure"}


def endpoint_votes(trials: Trials, asked: Asked) -> list[tuple[str, float, int]]:
    """Return the classes of primary endpoints; in a pivotal study of efficacy alone."""
    votes = count(trials, lambda row: (end.name for end in row.endpoints if end.name))
    if asked.study in {"pivotal", "confirmatory"}:
        return [one for one in votes if is_efficacy(one[0])] or votes
    return votes


def control_votes(trials: Trials) -> list[tuple[ComparatorType, float, int]]:
    """Return the kinds of control of trials that tell theirs."""
    return count(
        trials, lambda row: [CONTROLS[row.design.control]] if row.design.control in CONTROLS else []
    )


def typical_total(trials: Trials, endpoint: str) -> tuple[float | None, list[SettingTrial]]:
    """Return the weighted median of participants of trials like the one planned, and the trials.

    Trials of the nearest phase count, of the same endpoint class where five or more tell it.

    Args:
        trials: Ranked trials.
        endpoint: Class of the primary endpoint planned; "" where unknown.
    """
    told = [one for one in trials if one.row.n]
    phases = [one for one in told if one.match.parts.get("phase", 1.0) == 1.0]
    told = phases if len(phases) >= LEAST else told
    same = [one for one in told if any(end.name == endpoint for end in one.row.endpoints)]
    chosen = same if len(same) >= LEAST else told
    best = max((one.match.score for one in chosen), default=0)
    pairs = [(float(one.row.n or 0), weigh(one, best)) for one in chosen]
    return weighted_median(pairs), [one.row for one in chosen]


LEAST = 5
"""Trials below which a narrower choice is not made."""


def weighted_median(pairs: Iterable[tuple[float, float]]) -> float | None:
    """Return the value at which half of the weight is reached; None where there is none.

    >>> weighted_median([(10, 1), (20, 1), (100, 3)]), weighted_median([])
    (100, None)
    """
    told = sorted(pairs)
    half, passed = sum(weight for _, weight in told) / 2, 0.0
    for value, weight in told:
        passed += weight
        if passed >= half:
            return value
    return None
