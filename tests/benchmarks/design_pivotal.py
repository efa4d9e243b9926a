"""Designs of pivotal trials: `python -m tests.benchmarks.design_pivotal HOME [COUNT]`.

Trials that the studies section of a label names, drawn by a seed over the areas of the masked
benchmark; each is asked for by its setting with target and kind of drug, never by its name, while
the trial itself and the labels of its drugs are left out. What the trial chose is told by its own
record, else by the section that names it: of the section's endpoints only the first counts.
Accepted are: the class of a primary endpoint, or a wider or narrower class of it; the control by
kind, added to care or not; a size within 1.5 of the range that the pivotal trials of the label
span. A placebo that is added to active care counts as
both. The neighbor is that of the masked benchmark, and both are compared pair by pair.
"""

import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from core.agents.clinical_trial_design import gathering
from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.decisions import decide
from core.agents.clinical_trial_design.gathering import gather
from core.agents.clinical_trial_design.understanding import understand
from core.agents.clinical_trial_design.votes import CONTROLS
from core.evidence.assets.coverage import load_areas
from core.evidence.assets.precedents.labels import labels_of, only_diseases, read_pivotal, read_uses
from core.evidence.assets.precedents.traits import DrugTraits, read_traits
from core.evidence.assets.precedents.trials import read_trials
from core.evidence.readers.endpoints import read_endpoint
from core.evidence.readers.questions.reading import parse_text
from core.records.precedents import PivotalTrial, SettingTrial
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

COUNT = 300
FACTOR = 1.5
PORTION = 400
LONGEST_HEADING = 90
PHASES = ("PHASE3", "PHASE2_3", "PHASE2")
Span = tuple[int, int]


def draw_pivotal(context: RunContext, count: int) -> list[tuple[SettingTrial, Span | None, str]]:
    """Return pivotal trials that tell endpoint and drug, with span of sizes and label heading."""
    named: dict[str, PivotalTrial] = {}
    programs: dict[str, set[str]] = defaultdict(set)
    for keys in _portions(context):
        labels = labels_of(keys, context.evidence, context.resolver)
        uses = read_uses(labels, context.evidence, context.resolver)
        only = only_diseases(uses)
        for row in read_pivotal(keys, sorted(labels), only, context.evidence, context.resolver):
            programs[row.label_id].add(row.number)
            if row.number not in named or (row.endpoints and not named[row.number].endpoints):
                named[row.number] = row
    numbers = sorted(named)
    records, _ = read_trials(
        frozenset(), context.evidence, context.resolver, PHASES, numbers=numbers
    )
    by_number = {trial.number: trial for trial in records}
    drugs = sorted({name for row in named.values() for name in row.drugs})
    traits = read_traits(drugs, context.evidence, context.resolver)
    trials = {
        number: trial
        for number in numbers
        if (trial := _of_both(named[number], by_number.get(number), traits, context))
    }
    spans: dict[str, Span] = {}
    for program in programs.values():
        sizes = [n for number in program if number in by_number and (n := by_number[number].n)]
        for number in program & trials.keys() if sizes else ():
            low, high = spans.get(number, (min(sizes), max(sizes)))
            spans[number] = (min(low, *sizes), max(high, *sizes))
    chosen = sorted(trials)
    random.Random(SEED).shuffle(chosen)
    return [
        (trials[number], spans.get(number), _setting_of(named[number])) for number in chosen[:count]
    ]


def _of_both(
    row: PivotalTrial, record: SettingTrial | None, traits: DrugTraits, context: RunContext
) -> SettingTrial | None:
    """Return a trial as its record tells it, and its label where that says nothing."""
    trial = record or SettingTrial(f"ctgov:{row.number}", phase="PHASE3")
    targets, modalities = traits.of(row.drugs)
    ends = tuple(end for end in trial.endpoints if end.name)
    if not ends and row.endpoints:
        ends = (replace(read_endpoint(row.endpoints[0]), name=row.endpoints[0]),)
    trial = replace(
        trial,
        drugs=trial.drugs or row.drugs,
        targets=trial.targets or targets,
        modalities=trial.modalities or modalities,
        disease_keys=trial.disease_keys or row.disease_keys,
        title=f"{trial.title} {_setting_of(row)}".strip(),
        conditions=trial.conditions or _conditions(row, context),
        design=trial.design if trial.design.control in CONTROLS else row.design,
        endpoints=ends,
    )
    tells = ends and trial.drugs and trial.disease_keys and trial.conditions
    return trial if tells else None


def _conditions(row: PivotalTrial, context: RunContext) -> tuple[str, ...]:
    """Return the diseases under whose heading a label names a trial."""
    entities = context.resolver.identity.entities("disease", row.disease_keys)
    return tuple(entity.label for entity in entities.values())


def _setting_of(row: PivotalTrial) -> str:
    """Return the heading under which a label names a trial, where it is one."""
    is_heading = len(row.heading) <= LONGEST_HEADING and row.heading[:1].isalpha()
    return row.heading if is_heading else ""


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


def _line_of(one: SettingTrial, context: RunContext) -> str | None:
    """Return the line of treatment that the trial tells, in its fields or its title."""
    named = parse_text(f"{one.title} {' '.join(one.conditions)}", context.resolver).lines
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


def _is_control(kind: str | None, truth: str) -> bool:
    """Return whether a kind of control is that of a trial; a placebo added to care is both."""
    if truth == "add_on_placebo" and kind == "active":
        return True
    return _control(kind) == _control(truth)


def _within(n: float | None, span: Span) -> bool:
    return n is not None and span[0] / FACTOR <= n <= span[1] * FACTOR


def compare(
    one: SettingTrial, span: Span | None, made: DesignCase, near: SettingTrial | None
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
    }
    if span is not None:
        other_n = near.n if near else None
        found["N in the range x 1.5"] = (_within(n, span), _within(other_n, span))
    if one.design.control in CONTROLS:
        kind = CONTROLS[one.design.control]
        other = CONTROLS.get(near.design.control) if near else None
        found["control"] = (_is_control(made.comparator, kind), _is_control(other, kind))
        found["control, strict"] = (
            _control(made.comparator) == _control(kind),
            _control(other) == _control(kind),
        )
    return found


def main(home: Path, count: int = COUNT) -> None:
    """Print the scores."""
    context = open_context(home)
    drawn = draw_pivotal(context, count)
    say(f"{len(drawn)} pivotal trials, seed {SEED}")
    scores: dict[str, Score] = defaultdict(lambda: Score([], []))
    for one, span, heading in drawn:
        request = request_of(one).model_copy(
            update={
                "mechanism_of_action": f"acts on {(one.targets or ('unknown',))[0]}",
                "line_of_therapy": _line_of(one, context),
                "target_patient_population": heading or None,
            }
        )
        asked = understand(request, context)
        with patch.object(gathering, "find_precedents", mask(one)):
            found = gather(asked, context)
        made = decide(found)
        verdicts = compare(one, span, made, neighbor_of(one, found))
        for name, (ours, other) in verdicts.items():
            scores[name].add(ours, other)
        marks = " ".join(f"{name[:8]}{'+' if hit else '-'}" for name, (hit, _) in verdicts.items())
        say(
            f"{marks} {one.number} {request.indication[:70]} | {request.target} | "
            f"{request.line_of_therapy} | made {made.endpoint}, {made.comparator}, {made.n}, "
            f"{'row' if made.expected else 'votes'} | was {one.endpoints[0].name}, "
            f"{one.design.control}, {span}"
        )
    for name, score in scores.items():
        say(score.line(name))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(one) for one in sys.argv[2:]))
