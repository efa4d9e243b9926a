"""How precedents vote: on the primary endpoint, on the control, on the number of participants.

A trial weighs by how near it is to the setting; the weights are our own and are told.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from itertools import accumulate
from typing import TypeVar

from core.agents.clinical_trial_design.question import Question
from core.agents.clinical_trial_design.records import ComparatorType
from core.briefs.precedents import Ranked
from core.evidence.assets.precedents.trials import STOPPED
from core.records.precedents import Control, SettingTrial
from core.vocabulary.endpoints import classify_measure, load_measures

STEEPNESS = 12.0
"""Points of match that make a trial weigh e times as much."""
OLD_YEAR = 2010
OLD_WEIGHT = 0.6
OTHER_PHASE = 0.4
STOPPED_WEIGHT = 0.7
SAME_MECHANISM = math.exp(0.5)
"""For the control and the size: what drugs of one mechanism are compared with."""
OTHER_ENDPOINT, SMALLER_PHASE = 0.2, 0.1
"""For the size: a trial of another endpoint class; one of another phase, in addition to
`OTHER_PHASE`.
"""
FACTOR = 2.0
"""Sizes within this factor of each other are alike."""
CONTROLS: dict[Control, ComparatorType] = {
    "active": "active",
    "placebo": "placebo",
    "add-on placebo": "add_on_placebo",
    "single arm": "single_arm",
    "dose": "dose_control",
}
_OTHER_PURPOSE = re.compile(
    r"extension|long[- ]term (?:safety|follow|extension|study|treatment)|roll-?over|"
    r"open-label safety|"
    r"pharmacokinetic|pharmacodynamic|bioequivalen|bioavailab|drug[- ]drug interaction|food effect|"
    r"healthy (?:volunteers|subjects|participants|adults)|feasibility|\bpilot\b|expanded access|"
    r"compassionate|registry|observational|safety (?:study|trial)|lot[- ]to[- ]lot|biomarker study|"
    r"continued (?:access|treatment)|patient preference|autoinjector|prefilled",
    re.IGNORECASE,
)
_YOUNG = re.compile(r"p(?:a)?ediatric|child(?:ren|hood)?\b|adolescen|infant|neonat|juvenile", re.I)
LEAST = 5
"""Trials below which a narrower choice is not made."""
Vote = TypeVar("Vote", bound=Hashable)
Trials = Sequence[Ranked[SettingTrial]]


def weigh(ranked: Ranked[SettingTrial], best: int) -> float:
    """Return how much a trial weighs: 1 for the nearest, less by match, age, phase and breadth.

    One that was stopped weighs less, and so does one that names many diseases.
    """
    row = ranked.row
    age = OLD_WEIGHT if row.start_on and row.start_on[:4] < str(OLD_YEAR) else 1.0
    phase = 1.0 if is_of_phase(ranked) else OTHER_PHASE
    stopped = STOPPED_WEIGHT if row.status in STOPPED else 1.0
    breadth = 1 / math.sqrt(max(1, len(set(row.disease_keys))))
    return age * phase * stopped * breadth * math.exp((ranked.match.score - best) / STEEPNESS)


def is_of_phase(ranked: Ranked[SettingTrial]) -> bool:
    """Return whether a trial is of the phase asked for."""
    return ranked.match.parts.get("phase", 1.0) == 1.0


def _of_mechanism(ranked: Ranked[SettingTrial]) -> float:
    return SAME_MECHANISM if ranked.match.parts.get("mechanism") == 1.0 else 1.0


def count(
    trials: Trials,
    tell: Callable[[SettingTrial], Iterable[Vote]],
    more: Callable[[Ranked[SettingTrial]], float] = lambda _: 1.0,
) -> list[tuple[Vote, float, int]]:
    """Return what trials tell with weight and number, the heaviest first.

    Args:
        trials: Ranked trials.
        tell: What a trial votes for; several share its weight.
        more: By what a trial weighs more in this vote.
    """
    best = max((trial.match.score for trial in trials), default=0)
    weights: dict[Vote, float] = {}
    numbers: Counter[Vote] = Counter()
    for trial in trials:
        votes = list(dict.fromkeys(tell(trial.row)))
        for vote in votes:
            weights[vote] = weights.get(vote, 0.0) + weigh(trial, best) * more(trial) / len(votes)
            numbers[vote] += 1
    order = sorted(weights, key=lambda vote: (-weights[vote], str(vote)))
    return [(vote, weights[vote], numbers[vote]) for vote in order]


@cache
def is_efficacy(name: str) -> bool:
    """Return whether an endpoint class speaks of efficacy, as a pivotal endpoint must."""
    sides = {measure.name: measure.side for measure in load_measures()}
    side = sides.get(name) or classify_measure(name).side
    return side not in {"safety", "exposure"}


def of_purpose(trials: Trials, question: Question) -> Trials:
    """Return the trials that were to show what the study planned is to show.

    Extensions, studies of pharmacology, feasibility or safety alone say nothing of the endpoint,
    control or size of a later trial, and those in children little of one in adults. All trials are
    returned where too few are left.
    """
    if question.study == "first in human":
        return trials
    efficacy_trials = [trial for trial in trials if is_for_efficacy(trial.row)]
    efficacy_trials = efficacy_trials if len(efficacy_trials) >= LEAST else list(trials)
    young = bool(_YOUNG.search(question.patients_text))
    same = [trial for trial in efficacy_trials if bool(_YOUNG.search(trial.row.title)) == young]
    return same if len(same) >= LEAST else efficacy_trials


def is_for_efficacy(trial: SettingTrial) -> bool:
    """Return whether a trial was to show that a drug works, by its title and endpoints."""
    if _OTHER_PURPOSE.search(trial.title):
        return False
    names = [end.name for end in trial.endpoints if end.name]
    return not names or any(is_efficacy(name) for name in names)


def endpoint_votes(trials: Trials, question: Question) -> list[tuple[str, float, int]]:
    """Return the classes of primary endpoints; in a pivotal study those of efficacy first."""
    votes = count(trials, lambda row: (end.name for end in row.endpoints if end.name))
    if question.may_carry_approval:
        return sorted(votes, key=lambda vote: not is_efficacy(vote[0]))
    return votes


def control_votes(trials: Trials) -> list[tuple[ComparatorType, float, int]]:
    """Return the kinds of control of trials that tell theirs."""
    return count(
        trials,
        lambda row: [CONTROLS[row.design.control]] if row.design.control in CONTROLS else [],
        _of_mechanism,
    )


def typical_total(trials: Trials, endpoint: str) -> tuple[float | None, list[SettingTrial]]:
    """Return the participants that most trials like the one planned come near, and the trials.

    Every trial that tells its size weighs by match, endpoint class, phase and mechanism; the size
    is the one within whose factor of two most of the weight lies. Named as like are trials of the
    phase, of the same endpoint class where five or more tell it.

    Args:
        trials: Ranked trials.
        endpoint: Class of the primary endpoint planned; "" where unknown.
    """
    with_n = [trial for trial in trials if trial.row.n]
    best = max((trial.match.score for trial in with_n), default=0)

    def has_endpoint(trial: Ranked[SettingTrial]) -> bool:
        return any(end.name == endpoint for end in trial.row.endpoints)

    def weight(trial: Ranked[SettingTrial]) -> float:
        same = 1.0 if has_endpoint(trial) else OTHER_ENDPOINT
        phase = 1.0 if is_of_phase(trial) else SMALLER_PHASE
        return weigh(trial, best) * _of_mechanism(trial) * same * phase

    size = densest((float(trial.row.n or 0), weight(trial)) for trial in with_n)
    for is_alike in (is_of_phase, has_endpoint):
        alike = [trial for trial in with_n if is_alike(trial)]
        with_n = alike if len(alike) >= LEAST else with_n
    return size, [trial.row for trial in with_n]


def densest(pairs: Iterable[tuple[float, float]]) -> float | None:
    """Return the value within whose factor of two most of the weight lies; None without values.

    Of several that hold as much, the middle one of those told.

    >>> densest([(100, 1), (150, 1), (180, 1), (2000, 2)]), densest([])
    (150, None)
    """
    points = sorted(pairs)
    values = [value for value, _ in points]
    passed = [0.0, *accumulate(weight for _, weight in points)]
    weights = [
        passed[bisect_right(values, value * FACTOR)] - passed[bisect_left(values, value / FACTOR)]
        for value in values
    ]
    most = max(weights, default=0.0)
    top = [value for value, weight in zip(values, weights, strict=True) if weight >= most - 1e-12]
    return top[(len(top) - 1) // 2] if top else None
