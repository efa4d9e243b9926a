"""Precedents of a setting: trials, uses of labels and approvals, ranked by a visible match.

A precedent comes from disease, line, biomarker, target, kind of drug and phase, never from the
name of the drug asked for: its own trials stand apart. What a precedent does not tell counts as
half of a match at most, and the parts of each score are kept.
"""

import statistics
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from core.briefs.settings import Setting
from core.evidence.assets.precedents.labels import (
    labels_of,
    only_diseases,
    read_pivotal,
    read_uses,
    uses_in,
)
from core.evidence.assets.precedents.trials import read_trials
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.label_extents import drop_denied
from core.evidence_ports import EvidenceReader
from core.records.names import fold_name
from core.records.precedents import LabelUse, Match, PivotalTrial, Range, SettingTrial, TrialOutcome
from core.records.stages import Stage
from core.vocabulary.biomarkers import find_biomarkers
from core.vocabulary.lines import asked_by

PHASES: tuple[Stage, ...] = ("PHASE3", "PHASE2_3", "PHASE2")
WEIGHTS: Mapping[str, float] = {
    "indication": 0.4,
    "line": 0.2,
    "mechanism": 0.2,
    "phase": 0.1,
    "biomarker": 0.1,
}
"""Our own; a part that was not asked for does not count."""
OF_KIND = 0.8
"""A kind of the disease asked for."""
OF_MODALITY = 0.5
NEAR_PHASE = 0.5
UNTOLD = 0.3
"""What a precedent does not tell: it may be the same."""
CARRIED: TrialOutcome = "carried an approval"
_NEAR: Mapping[Stage, frozenset[Stage]] = {
    "PHASE3": frozenset({"PHASE2_3"}),
    "PHASE2_3": frozenset({"PHASE2", "PHASE3"}),
    "PHASE2": frozenset({"PHASE2_3", "PHASE1_2"}),
    "PHASE1_2": frozenset({"PHASE1", "PHASE2"}),
    "PHASE1": frozenset({"PHASE1_2"}),
}
Kind = TypeVar("Kind", SettingTrial, LabelUse, PivotalTrial)


@dataclass(frozen=True, slots=True)
class Ranked(Generic[Kind]):
    """A precedent with its match.

    Attributes:
        row: The precedent.
        match: How near it is to the setting.
    """

    row: Kind
    match: Match


@dataclass(frozen=True)
class Precedents:
    """What is on record for a setting, the nearest first.

    Attributes:
        trials: Registered trials, without those of the drug asked for.
        own: Trials of the drug asked for.
        uses: Uses of labels.
        pivotal: Trials that labels name as what they rest on.
        left_out: Trials left out, by reason.
    """

    trials: tuple[Ranked[SettingTrial], ...] = ()
    own: tuple[Ranked[SettingTrial], ...] = ()
    uses: tuple[Ranked[LabelUse], ...] = ()
    pivotal: tuple[Ranked[PivotalTrial], ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)

    def endpoints(self, most: int | None = None) -> list[tuple[str, int]]:
        """Return the primary endpoint classes of the nearest trials, the most used first.

        Args:
            most: Trials that vote, of those that tell a known one; None: all.
        """
        votes: Counter[str] = Counter()
        endpoint_sets = [
            {end.name for end in trial.row.endpoints if end.name} for trial in self.trials
        ]
        for names in list(filter(None, endpoint_sets))[:most]:
            votes.update(names)
        return sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))


def find_precedents(
    setting: Setting,
    evidence: EvidenceReader,
    resolver: Resolver,
    *,
    own: Iterable[str] = (),
    phases: Sequence[Stage] = PHASES,
    without: Collection[str] = (),
) -> Precedents:
    """Return the precedents of a setting.

    Args:
        setting: What was asked for; without a disease there is no precedent.
        evidence: The pack.
        resolver: Knows names.
        own: Names of the drug asked for.
        phases: Phases of the trials that count.
        without: Numbers of trials that are left out, as for a test.
    """
    keys = frozenset(key for area in setting.areas for key in area.keys)
    if not keys:
        return Precedents()
    trials_read, left_out = read_trials(keys, evidence, resolver, phases)
    labels = labels_of(keys, evidence, resolver)
    rows = read_uses(labels, evidence, resolver)
    pivotal = read_pivotal(keys, sorted(labels), only_diseases(rows), evidence, resolver)
    carried = {trial.number for trial in pivotal}
    trials = [
        Ranked(_carried(trial, carried), match_trial(trial, setting))
        for trial in trials_read
        if trial.number not in without and set(trial.disease_keys) & keys
    ]
    names = {fold_name(name) for name in own}
    is_own = {
        trial.row.number
        for trial in trials
        if names & {fold_name(name) for name in trial.row.drugs}
    }
    found_uses = uses_in(keys, rows, evidence, resolver)
    uses = [Ranked(use, match_use(use, setting)) for use in found_uses]
    return Precedents(
        trials=_sort((trial for trial in trials if trial.row.number not in is_own), _trial_key),
        own=_sort((trial for trial in trials if trial.row.number in is_own), _trial_key),
        uses=_sort(uses, lambda use: (use.title, use.use.text)),
        pivotal=_sort(
            (
                Ranked(trial, match_pivotal(trial, setting))
                for trial in pivotal
                if trial.number not in without
            ),
            lambda trial: (trial.number, trial.label_id),
        ),
        left_out=dict(sorted(left_out.items())),
    )


def _carried(trial: SettingTrial, numbers: Collection[str]) -> SettingTrial:
    """Return a trial with what it came to where a label in the setting names it."""
    if trial.number not in numbers:
        return trial
    return replace(trial, outcome=CARRIED)


def _sort(
    rows: Iterable[Ranked[Kind]], key: Callable[[Kind], tuple[object, ...]]
) -> tuple[Ranked[Kind], ...]:
    return tuple(sorted(rows, key=lambda row: (-row.match.score, *key(row.row))))


def _trial_key(trial: SettingTrial) -> tuple[object, ...]:
    """Return by what trials of one score stand: those that tell more first, then the larger."""
    reported = (trial.n, trial.months, trial.endpoints, trial.design.words)
    return (-sum(map(bool, reported)), -(trial.n or 0), trial.number)


def score_of(parts: Mapping[str, float]) -> Match:
    """Return the match that parts come to, rounded half up.

    >>> score_of({"indication": 1.0, "phase": 0.5}).score
    90
    """
    weight = sum(WEIGHTS[name] for name in parts)
    total = sum(WEIGHTS[name] * value for name, value in parts.items())
    return Match(int(100 * total / weight + 0.5) if weight else 0, dict(parts))


def match_trial(trial: SettingTrial, setting: Setting) -> Match:
    """Return how near a trial is to a setting."""
    parts = _parts(setting, trial.disease_keys, trial.line, trial.biomarkers)
    parts |= _mechanism(setting, trial.targets, trial.modalities)
    if setting.stages:
        is_near = any(trial.phase in _NEAR.get(stage, ()) for stage in setting.stages)
        is_same = trial.phase in setting.stages
        parts["phase"] = 1.0 if is_same else NEAR_PHASE if is_near else 0.0
    return score_of(parts)


def match_use(use: LabelUse, setting: Setting) -> Match:
    """Return how near a use of a label is to a setting."""
    text = drop_denied(use.use.text)
    biomarker = use.use.biomarker if text == use.use.text else ""
    names = tuple(row.name for row in find_biomarkers(f"{biomarker} {text}"))
    parts = _parts(setting, use.disease_keys, use.use.line, names)
    return score_of(parts | _mechanism(setting, use.targets, use.modalities))


def match_pivotal(trial: PivotalTrial, setting: Setting) -> Match:
    """Return how near a trial that a label rests on is to a setting, by its heading."""
    names = tuple(row.name for row in find_biomarkers(trial.heading))
    return score_of(_parts(setting, trial.disease_keys, "", names))


def _parts(
    setting: Setting, keys: Sequence[str], line: str, biomarkers: Sequence[str]
) -> dict[str, float]:
    parts: dict[str, float] = {}
    if setting.areas:
        is_same = any(area.key in keys for area in setting.areas)
        is_kind = any(area.keys & set(keys) for area in setting.areas)
        parts["indication"] = 1.0 if is_same else OF_KIND if is_kind else 0.0
    if setting.lines:
        asked_line = asked_by(line)
        parts["line"] = UNTOLD if asked_line is None else float(asked_line in setting.lines)
    if setting.biomarkers:
        parts["biomarker"] = (
            float(bool(set(biomarkers) & set(setting.biomarkers))) if biomarkers else UNTOLD
        )
    return parts


def _mechanism(
    setting: Setting, targets: Sequence[str], modalities: Sequence[str]
) -> dict[str, float]:
    if not (setting.targets or setting.modalities):
        return {}
    genes = {symbol for target in setting.targets for symbol in (target.text, *target.gene_symbols)}
    named = {component for target in targets for component in (target, *target.split(" x "))}
    if genes & named:
        return {"mechanism": 1.0}
    is_kind = bool(set(modalities) & set(setting.modalities))
    if is_kind:
        return {"mechanism": OF_MODALITY if setting.targets else 1.0}
    return {"mechanism": 0.0 if targets or modalities else UNTOLD}


def number_range(values: Iterable[float | None], unit: str) -> Range:
    """Return how numbers lie: median and quartiles of those that are told.

    >>> number_range([10, None, 20, 30], "participants").median
    20.0
    """
    numbers = sorted(float(value) for value in values if value is not None)
    if not numbers:
        return Range(None, None, None, 0, unit)
    if len(numbers) == 1:
        return Range(None, numbers[0], None, 1, unit)
    low, median, high = statistics.quantiles(numbers, n=4, method="inclusive")
    return Range(round(low, 1), round(median, 1), round(high, 1), len(numbers), unit)
