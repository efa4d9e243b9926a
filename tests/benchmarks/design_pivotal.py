"""Designs of pivotal trials: `python -m tests.benchmarks.design_pivotal HOME [COUNT]`.

Trials that the studies section of a label names, drawn by a seed over the areas of the masked
benchmark; each is asked for by its setting with target and kind of drug, never by its name, while
the trial itself and the labels of its drugs are left out. Accepted are: the class of a primary
endpoint, or a wider or narrower class of it; the control by kind, added to care or not; a size
within 1.5 of the range that the pivotal trials of the label span. The neighbor is that of the
masked benchmark, and both are compared pair by pair.
"""

import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from unittest.mock import patch

from core.agents.clinical_trial_design import gathering
from core.agents.clinical_trial_design.asked import understand
from core.agents.clinical_trial_design.decisions import Decisions, decide
from core.agents.clinical_trial_design.gathering import gather
from core.agents.clinical_trial_design.votes import CONTROLS
from core.evidence.assets.coverage import load_areas
from core.evidence.assets.precedents.labels import labels_of, only_diseases, read_uses
from core.evidence.assets.precedents.pivotal import read_pivotal
from core.evidence.assets.precedents.trials import read_trials
from core.evidence.readers.questions.reading import parse_text
from core.records.precedents import SettingTrial
from core.vocabulary.endpoints import classify_endpoint
from core.workbench import RunContext
from tests.benchmarks.design_masked import (
    AREAS,
    SEED,
    Score,
    mask,
    neighbor_of,
    open_context,
    request_of,
)
from tests.benchmarks.targets import say

COUNT = 120
FACTOR = 1.5
PORTION = 400
PHASES = ("PHASE3", "PHASE2_3", "PHASE2")
Span = tuple[int, int]


def draw_pivotal(context: RunContext, count: int) -> list[tuple[SettingTrial, Span]]:
    """Return pivotal trials that tell endpoint, participants and drug, with their label's span."""
    programs: dict[str, set[str]] = defaultdict(set)
    for keys in _portions(context):
        labels = labels_of(keys, context.evidence, context.resolver)
        uses = read_uses(labels, context.evidence, context.resolver)
        rows = read_pivotal(
            keys, sorted(labels), only_diseases(uses), context.evidence, context.resolver
        )
        for row in rows:
            if row.is_on_record:
                programs[row.label_id].add(row.number)
    numbers = sorted({number for found in programs.values() for number in found})
    trials, _ = read_trials(
        frozenset(), context.evidence, context.resolver, PHASES, numbers=numbers
    )
    by_number = {one.number: one for one in trials if _tells(one)}
    spans: dict[str, Span] = {}
    for found in programs.values():
        sizes = [n for number in found if number in by_number and (n := by_number[number].n)]
        for number in found & by_number.keys():
            low, high = min(sizes), max(sizes)
            before = spans.get(number, (low, high))
            spans[number] = (min(low, before[0]), max(high, before[1]))
    chosen = sorted(by_number)
    random.Random(SEED).shuffle(chosen)
    return [(by_number[number], spans[number]) for number in chosen[:count]]


def _portions(context: RunContext) -> Iterator[frozenset[str]]:
    """Yield the keys of the diseases of the areas, as many as one reading takes."""
    identity = context.resolver.identity
    keys = sorted(
        {
            key
            for name, top in load_areas()
            if name in AREAS
            for key in (top, *identity.descendants("disease", top))
        }
    )
    for start in range(0, len(keys), PORTION):
        yield frozenset(keys[start : start + PORTION])


def _tells(one: SettingTrial) -> bool:
    named = any(end.name for end in one.endpoints)
    return bool(named and one.n and one.drugs and one.disease_keys and one.conditions)


def _line_of(one: SettingTrial, context: RunContext) -> str | None:
    """Return the line of treatment that the trial tells, in its fields or its title."""
    named = parse_text(one.title, context.resolver).lines
    return one.line or ", ".join(map(str, named)) or None


def _family(name: str) -> set[str]:
    row = classify_endpoint(name)
    return {name, row.within} - {""} if row else {name}


def _is_alike(name: str, truth: set[str]) -> bool:
    """Return whether a class is one of some, or wider or narrower than one."""
    wide = {wider for one in truth for wider in _family(one)}
    return name in wide or bool(_family(name) & truth)


def _control(kind: str | None) -> str | None:
    return "placebo" if kind == "add_on_placebo" else kind


def _within(n: float | None, span: Span) -> bool:
    return n is not None and span[0] / FACTOR <= n <= span[1] * FACTOR


def compare(
    one: SettingTrial, span: Span, made: Decisions, near: SettingTrial | None
) -> Mapping[str, tuple[bool, bool]]:
    """Return by figure whether the answer and the neighbor are accepted."""
    truth = {end.name for end in one.endpoints if end.name}
    told = [end.name for end in near.endpoints if end.name] if near else []
    n = made.planned_total or made.typical
    found = {
        "endpoint": (
            _is_alike(made.endpoint, truth),
            bool(told) and _is_alike(told[0], truth),
        ),
        "N in the range x 1.5": (_within(n, span), _within(near.n if near else None, span)),
    }
    if one.design.control in CONTROLS:
        kind = _control(CONTROLS[one.design.control])
        other = CONTROLS.get(near.design.control) if near else None
        found["control"] = (_control(made.comparator) == kind, _control(other) == kind)
    return found


def main(home: Path, count: int = COUNT) -> None:
    """Print the scores."""
    context = open_context(home)
    drawn = draw_pivotal(context, count)
    say(f"{len(drawn)} pivotal trials, seed {SEED}")
    scores: dict[str, Score] = defaultdict(lambda: Score([], []))
    for one, span in drawn:
        request = request_of(one).model_copy(
            update={
                "mechanism_of_action": f"acts on {(one.targets or ('unknown',))[0]}",
                "line_of_therapy": _line_of(one, context),
            }
        )
        asked = understand(request, context)
        with patch.object(gathering, "find_precedents", mask(one)):
            found = gather(None, asked, context)
        made = decide(asked, found)
        for name, (ours, other) in compare(one, span, made, neighbor_of(one, found)).items():
            scores[name].add(ours, other)
    for name, score in scores.items():
        say(score.line(name))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(one) for one in sys.argv[2:]))
