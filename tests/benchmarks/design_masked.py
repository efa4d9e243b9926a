"""Designs of masked trials: `python -m tests.benchmarks.design_masked HOME [COUNT]`.

Phase 3 trials whose drug has a known target are drawn by a seed over ten areas; each is asked for
by its setting, never by its name, while the trial itself, what its papers tell, and the labels of
its drugs are left out. The answer is held against the trial: class of its primary endpoint (first,
and among the first three classes), participants within a factor of 2, kind of control. The neighbor
is the trial of the same condition that is nearest in time; both are compared pair by pair (exact
McNemar test). The lines of efficacy trials and of wide classes (`within` of the table of endpoints)
stand beside the figures that count and replace none.
"""

import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

from scipy.stats import binomtest

from core.agents.clinical_trial_design import gathering
from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.decisions import decide
from core.agents.clinical_trial_design.gathering import gather
from core.agents.clinical_trial_design.schema import ClinicalTrialDesignRequest
from core.agents.clinical_trial_design.success import wilson
from core.agents.clinical_trial_design.understanding import understand
from core.agents.clinical_trial_design.votes import CONTROLS, is_efficacy
from core.briefs.precedents import Precedents, find_precedents
from core.evidence.assets.coverage import load_areas
from core.evidence.assets.precedents.trials import read_trials
from core.records.names import fold_name
from core.records.precedents import SettingTrial
from core.settings import Settings
from core.vocabulary.endpoints import classify_endpoint
from core.workbench import RunContext
from storage.stores import open_stores
from tests.benchmarks.targets import say
from tests.contexts import make_context

SEED = 20_261_124
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
AREAS = (
    *("Cancer", "Cardiovascular", "Endocrine and metabolic", "Nervous system", "Infectious"),
    *("Respiratory", "Skin", "Digestive", "Psychiatric", "Musculoskeletal"),
)
COUNT = 160
FACTOR = 2.0
MOST_READ = 300
MOST_CONDITIONS = 3
"""Of a trial that the request names: a setting may need two, such as obesity with heart failure."""


@dataclass
class Score:
    """Hits of the answer and of the neighbor, trial by trial; None where it cannot be told."""

    ours: list[bool]
    neighbor: list[bool]

    def add(self, ours: bool, neighbor: bool) -> None:
        """Keep one comparison."""
        self.ours.append(ours)
        self.neighbor.append(neighbor)

    def line(self, name: str) -> str:
        """Return both shares with their intervals and the paired test."""
        n = len(self.ours)
        share, other = sum(self.ours) / n, sum(self.neighbor) / n
        low, high = wilson(share, n)
        won = sum(a and not b for a, b in zip(self.ours, self.neighbor, strict=True))
        lost = sum(b and not a for a, b in zip(self.ours, self.neighbor, strict=True))
        p = binomtest(won, won + lost, 0.5, "greater").pvalue if won + lost else 1.0
        return (
            f"{name:28} n {n:4}  {share:.3f} ({low:.2f} to {high:.2f})  neighbor {other:.3f}  "
            f"won {won} lost {lost}  p {p:.4f}"
        )


def open_context(home: Path) -> RunContext:
    """Return what a run may reach of an instance."""
    stores = open_stores(Settings(home=home))
    return make_context(NOW, stores, settings=Settings(home=home))


def draw_trials(context: RunContext, count: int) -> list[SettingTrial]:
    """Return trials that tell endpoint class, participants and drug, as many from each area.

    Areas that hold fewer than their part leave the rest to the others, in turn.
    """
    pools = {area: _pool(area, context) for area in AREAS}
    found: dict[str, SettingTrial] = {}
    while len(found) < count and any(pools.values()):
        for pool in pools.values():
            while pool and pool[0].number in found:
                pool.pop(0)
            if pool and len(found) < count:
                one = pool.pop(0)
                found[one.number] = one
    return list(found.values())


def _pool(area: str, context: RunContext) -> list[SettingTrial]:
    """Return the trials of an area that may be drawn, in the order of the seed."""
    keys = frozenset(
        key
        for name, top in load_areas()
        if name == area
        for key in (top, *context.resolver.identity.descendants("disease", top))
    )
    told = _drawable(keys, context)
    random.Random(f"{SEED}{area}").shuffle(told)
    return told


def _drawable(keys: frozenset[str], context: RunContext) -> list[SettingTrial]:
    chosen = sorted(keys)
    random.Random(SEED).shuffle(chosen)
    rows: dict[str, SettingTrial] = {}
    for start in range(0, len(chosen), 400):
        part = frozenset(chosen[start : start + 400])
        trials, _ = read_trials(part, context.evidence, context.resolver, ["PHASE3"])
        rows |= {one.number: one for one in trials if _tells(one)}
        if len(rows) > MOST_READ:
            break
    return [rows[number] for number in sorted(rows)]


def _tells(one: SettingTrial) -> bool:
    named = [end.name for end in one.endpoints if end.name]
    return bool(
        named and one.n and one.drugs and one.targets and one.disease_keys and one.conditions
    )


def request_of(one: SettingTrial) -> ClinicalTrialDesignRequest:
    """Return a request that tells a trial's setting and not its name."""
    return ClinicalTrialDesignRequest(
        asset_name="QQ-0001",
        indication="; ".join(one.conditions[:MOST_CONDITIONS])[:290],
        modality=(one.modalities or ("unknown",))[0],
        mechanism_of_action="unknown",
        target=(one.targets or ("unknown",))[0],
        development_stage="Phase 3",
        geography="FDA",
        line_of_therapy=one.line or None,
        biomarker_strategy="; ".join(one.biomarkers) or None,
    )


def mask(one: SettingTrial) -> Callable[..., Precedents]:
    """Return a search that leaves out a trial with its papers and the labels of its drugs."""
    drugs = {fold_name(name) for name in one.drugs}

    def find(*args: object, **fields: object) -> Precedents:
        found = find_precedents(*args, **fields, without=[one.number])  # type: ignore[arg-type]
        return replace(
            found,
            uses=tuple(x for x in found.uses if not drugs & {*map(fold_name, x.row.drugs)}),
            pivotal=tuple(x for x in found.pivotal if not drugs & {*map(fold_name, x.row.drugs)}),
        )

    return find


def neighbor_of(one: SettingTrial, found: DesignCase) -> SettingTrial | None:
    """Return the phase 3 trial of the same condition that began nearest in time."""
    year = int(one.start_on[:4] or 2015)
    same = [
        x.row
        for x in found.precedents.trials
        if set(x.row.disease_keys) & set(one.disease_keys) and x.row.phase == "PHASE3" and x.row.n
    ]
    told = [x for x in same if any(end.name for end in x.endpoints)]
    return min(
        told, key=lambda x: (abs(int(x.start_on[:4] or 2015) - year), x.number), default=None
    )


def _classes(one: SettingTrial) -> list[str]:
    return list(dict.fromkeys(end.name for end in one.endpoints if end.name))


def _near(n: float | None, other: int | None) -> bool:
    return bool(n and other and max(n, other) / min(n, other) <= FACTOR)


def measure(trials: Sequence[SettingTrial], context: RunContext) -> Iterator[tuple[str, Score]]:
    """Yield the scores by name."""
    scores: dict[str, Score] = defaultdict(lambda: Score([], []))
    seconds, held = [], 0
    for number, one in enumerate(trials, start=1):
        asked = understand(request_of(one), context)
        began = time.process_time()
        with patch.object(gathering, "find_precedents", mask(one)):
            found = gather(asked, context)
        made = decide(found)
        seconds.append(time.process_time() - began)
        near, truth = neighbor_of(one, found), _classes(one)
        known = {name for x in found.precedents.trials for name in _classes(x.row)}
        held += bool(known & set(truth))
        for name, ours, other in _compare(one, made, near):
            scores[name].add(ours, other)
        if number % 40 == 0:
            say(f"{number} asked")
    yield from scores.items()
    seconds.sort()
    say(f"any precedent has the class: {held / len(trials):.3f}, the most that votes can reach")
    say(f"CPU seconds: median {seconds[len(seconds) // 2]:.2f}, largest {seconds[-1]:.2f}")


def _compare(
    one: SettingTrial, made: DesignCase, near: SettingTrial | None
) -> Iterator[tuple[str, bool, bool]]:
    """Yield by figure whether the answer and the neighbor hit."""
    truth = set(_classes(one))
    told = _classes(near) if near else []
    votes = [name for name, _, _ in made.votes]
    yield "endpoint first", made.endpoint in truth, bool(told and told[0] in truth)
    yield "endpoint first three", bool(truth & set(votes[:3])), bool(truth & set(told[:3]))
    if any(is_efficacy(name) for name in truth):
        yield "first, efficacy trials", made.endpoint in truth, bool(told and told[0] in truth)
        yield (
            *("first three, efficacy trials", bool(truth & set(votes[:3]))),
            bool(truth & set(told[:3])),
        )
    wide, wide_votes = {_wide(name) for name in truth}, list(dict.fromkeys(map(_wide, votes)))
    others = [_wide(name) for name in told]
    yield "wide class first", bool(wide & set(wide_votes[:1])), bool(wide & set(others[:1]))
    yield "wide class first three", bool(wide & set(wide_votes[:3])), bool(wide & set(others[:3]))
    yield "N", _near(made.typical, one.n), _near(near.n if near else None, one.n)
    if one.design.control in CONTROLS:
        wanted = CONTROLS[one.design.control]
        other = CONTROLS.get(near.design.control) if near else None
        yield "control", made.comparator == wanted, other == wanted


def _wide(name: str) -> str:
    """Return the wider class of an endpoint class; itself where it has none."""
    row = classify_endpoint(name)
    return (row.within or name) if row else name


def main(home: Path, count: int = COUNT) -> None:
    """Print the scores."""
    context = open_context(home)
    trials = draw_trials(context, count)
    say(f"{len(trials)} trials, seed {SEED}")
    for name, score in measure(trials, context):
        say(score.line(name))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(one) for one in sys.argv[2:]))
