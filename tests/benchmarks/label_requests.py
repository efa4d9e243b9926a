"""Twenty drawn requests for a label: shares follow from labels, sentences are cited, regions agree.

`python -m tests.benchmarks.label_requests HOME [SEED]`: HOME is an instance with reference files.
Drug, target, kind and disease are those of labels at hand, drawn by the seed in turn over six
areas; agencies alternate within areas and between them; a third of them bring a single arm.
Of each answer is checked:

- shares: each is the count of its listed labels over the labels of its class, and the labels listed
  as having something have it when their texts are read anew from the store;
- citations: each resolves, each sentence that is no rule is cited, no sentence was dropped;
- regions: asked of the other agency, the same request gives other words and the same facts.

Prints each fault; ends with 1 where there is one.
"""

import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from core.agents.label_strategy.pipeline import run
from core.agents.label_strategy.schema import LabelStrategyData, LabelStrategyRequest
from core.evidence.assets.precedents.label_sheets import (
    BOX,
    LabelSheet,
    newest_sheets,
    read_label_texts,
)
from core.records.precedents import LabelUse
from core.workbench import RunContext
from tests.benchmarks.deal_theses import context_of
from tests.benchmarks.label_masked import AREAS, SEED, Bench
from tests.benchmarks.targets import say

N = 20
LEAST = 3
AGENCIES = ("FDA", "EMA")
SINGLE_ARM = {
    "trials": [
        {
            "id": "own-1",
            "phase": "phase 2",
            "design": "single arm",
            "randomized": False,
            "n": 80,
            "population": "adults, previously treated",
            "endpoint": "objective response rate",
            "effect": 0.4,
        }
    ]
}
SAME = (
    *("precedents", "competitor_label_comparison", "frequencies", "claims", "facts"),
    *("label_history", "sources", "source_table"),
)
"""Parts of an answer in which no agency has a say."""
MARK = re.compile(r"\[(\d+)\]")
Fault = tuple[str, str]


def draw(bench: Bench, n: int = N) -> list[LabelUse]:
    """Return uses of drawn labels, one area after the other."""
    pools: dict[str, list[LabelUse]] = {area: [] for area in AREAS}
    for one in bench.draw():
        pools[_area(bench, one)].append(one)
    dice = random.Random(bench.seed)
    for pool in pools.values():
        dice.shuffle(pool)
    turns = max(map(len, pools.values()))
    listed = [pool[turn] for turn in range(turns) for pool in pools.values() if turn < len(pool)]
    return listed[:n]


def _area(bench: Bench, row: LabelUse) -> str:
    return next(area for area, rows in bench.by_area.items() if row in rows)


def make_request(bench: Bench, row: LabelUse, place: int) -> dict[str, Any]:
    """Return the request for a use: what its drug is, and for a third of them a single arm."""
    sheet = bench.sheets[row.record_id]
    turn = place + place // len(AREAS)
    fields: dict[str, Any] = {
        "asset_name": sheet.drugs[0],
        "indication": row.diseases[0],
        "modality": sheet.modalities[0],
        "mechanism_of_action": f"acts on {sheet.targets[0]}",
        "target": sheet.targets[0],
        "development_stage": "phase 3",
        "geography": AGENCIES[turn % 2],
    }
    if turn % 3 == 2:
        fields |= {"clinical_trial_data": SINGLE_ARM, "endpoints": ["objective response rate"]}
    return fields


class Labels:
    """The labels of an answer by the numbers under which it cites them, read from the store."""

    def __init__(self, data: LabelStrategyData, bench: Bench) -> None:
        """Find the label behind each source.

        Args:
            data: The answer.
            bench: Every label.
        """
        by_title: dict[str, list[LabelSheet]] = {}
        for one in bench.sheets.values():
            by_title.setdefault(one.title, []).append(one)
        first = {one.record_id for one in newest_sheets(bench.sheets.values())}
        self.by_number: dict[str, LabelSheet] = {}
        for source in data.sources:
            found = by_title.get(source.title, [])
            if found:
                kept = [one for one in found if one.record_id in first]
                self.by_number[source.id] = (kept or found)[0]
        self.texts = read_label_texts(self.by_number.values(), bench.evidence)
        ids = sorted(one.record_id for one in self.by_number.values())
        self.boxes = {one for one, spans in bench.evidence.passages(ids, (BOX,)).items() if spans}

    def has(self, sheet: LabelSheet, measure: str, term: str) -> bool:
        """Return whether a label says a thing, by its text."""
        text = self.texts[sheet.record_id]
        if measure == "boxed warning":
            return sheet.record_id in self.boxes or sheet.box == "yes"
        if measure == "restricted distribution":
            return bool(text.has_rems)
        told = text.boxed if measure == "term of the boxed warning" else text.warnings or ()
        return term in told


def share_of(n_with: int, n: int) -> float | None:
    """Return a share as it must be told; None where too few labels count.

    >>> share_of(2, 3), share_of(1, 2)
    (0.6667, None)
    """
    return round(n_with / n, 4) if n >= LEAST else None


def check_frequencies(data: LabelStrategyData, labels: Labels) -> Iterator[Fault]:
    """Yield the shares that do not follow from their labels."""
    for row in data.frequencies:
        where = f"{row.class_name}, {row.measure} {row.term}"
        listed = (len(row.labels_with), len(row.labels_with) + len(row.labels_without))
        if listed != (row.n_with, row.n_labels):
            yield "shares", f"{where}: lists {listed}, counts {(row.n_with, row.n_labels)}"
        if row.share != share_of(*listed):
            yield "shares", f"{where}: share {row.share} of {listed}"
        sheets = [labels.by_number[one] for one in row.source_ids if one in labels.by_number]
        having = sorted(one.brand for one in sheets if labels.has(one, row.measure, row.term))
        if having != row.labels_with:
            yield "shares", f"{where}: texts say {having}, the row {row.labels_with}"
        names = sorted([*row.labels_with, *row.labels_without])
        if sorted(one.brand for one in sheets) != names:
            yield "shares", f"{where}: cites other labels than {names}"
        if len({one.moiety for one in sheets}) != len(sheets):
            yield "shares", f"{where}: a drug counts twice"
        if not all(one.is_whole for one in sheets):
            yield "shares", f"{where}: counts a part of a label"


def check_expectations(data: LabelStrategyData) -> Iterator[Fault]:
    """Yield the shares of what is to be warned of that no listed share bears."""
    told = data.safety_warning_expectations
    rows = {(one.class_name, one.measure, one.term): one for one in data.frequencies}
    group = told.boxed_warning.class_name
    said: list[tuple[str, str, Any]] = [("boxed warning", "boxed warning", told.boxed_warning)]
    said += [("term of the boxed warning", one.term, one) for one in told.boxed_warning.terms]
    said += [("heading of warnings", one.term, one) for one in told.warnings_and_precautions]
    for measure, term, one in said:
        row = rows.get((group, measure, term))
        ours = (one.share, one.n_with, one.n_labels, one.source_ids)
        if row is None and one.n_labels:
            yield "shares", f"{group}, {term}: no listed share bears it"
        elif row and ours != (row.share, row.n_with, row.n_labels, row.source_ids):
            yield "shares", f"{group}, {term}: {ours[:3]} is not the listed share"
    row = rows.get((group, "restricted distribution", "REMS"))
    if told.rems.n_labels and (not row or row.share != told.rems.share):
        yield "shares", f"{group}, REMS: {told.rems.share} is not the listed share"


def check_slots(data: LabelStrategyData) -> Iterator[Fault]:
    """Yield the shares of the draft and of restrictions that are no count of their sources."""
    rows: list[tuple[str, float | None, int, list[str]]] = [
        (f"slot {one.slot}", one.share, one.n_precedents, one.source_ids)
        for one in data.proposed_indication_language.slots
    ]
    counted = {"line", "biomarker", "age", "regimen", "accelerated", "limitation", "diagnostic"}
    rows += [
        (f"restriction {one.kind}", one.share, one.n_labels, one.source_ids)
        for one in data.likely_label_restrictions
        if one.kind in counted
    ]
    for name, share, n, ids in rows:
        if share is not None and share != share_of(len(ids), n):
            yield "shares", f"{name}: share {share}, lists {len(ids)} of {n}"


def _cited(part: Any) -> Iterator[str]:
    """Yield every number that a part of an answer cites, in lists and in texts."""
    if isinstance(part, Mapping):
        for name, value in part.items():
            yield from value if name == "source_ids" else _cited(value)
    elif isinstance(part, list):
        for one in part:
            yield from _cited(one)
    elif isinstance(part, str):
        yield from MARK.findall(part)


def check_citations(data: LabelStrategyData) -> Iterator[Fault]:
    """Yield citations that lead nowhere and sentences without one."""
    known = {one.id for one in data.sources}
    if len(known) != len(data.sources):
        yield "citations", "two sources have one number"
    answer = data.model_dump(mode="json")
    for one in sorted(set(_cited(answer)) - known):
        yield "citations", f"[{one}] is no source"
    for source in data.sources:
        if not source.title:
            yield "citations", f"source [{source.id}] has no title"
    dropped = [one for one in data.warnings if one.startswith("claims_dropped")]
    yield from (("citations", one) for one in dropped)
    if not data.claims:
        yield "citations", "the summary says nothing"
    for claim in data.claims:
        if not claim.source_ids and claim.kind != "rule":
            yield "citations", f"no citation: {claim.text}"
        if {*MARK.findall(claim.text)} != {*claim.source_ids}:
            yield "citations", f"marks are not its sources: {claim.text}"
        if claim.kind == "rule" and not data.safety_warning_expectations.class_rules:
            yield "citations", f"no rule bears it: {claim.text}"


def check_regions(one: LabelStrategyData, other: LabelStrategyData) -> Iterator[Fault]:
    """Yield facts that an agency changes, and words that it does not."""
    ours, theirs = one.model_dump(mode="json"), other.model_dump(mode="json")
    for part in SAME:
        if ours[part] != theirs[part]:
            yield "regions", f"{part} differs"
    parts = {"safety": _safety, "claim matrix": _matrix, "draft": _slots, "scores": _scores}
    for name, told in parts.items():
        if told(ours) != told(theirs):
            yield "regions", f"{name} differs in a fact"
    for name, words in (("draft", _language), ("pathway", _pathway)):
        if words(ours) == words(theirs):
            yield "regions", f"{name} has the same words: {words(ours)}"
    for scenario, again in zip(one.label_scenarios, other.label_scenarios, strict=True):
        if scenario.wording != again.wording:
            yield "regions", f"{scenario.name}: one claim is worded in two ways for one agency"


def _safety(data: Mapping[str, Any]) -> Any:
    told = data["safety_warning_expectations"]
    people = [(one["population"], one["source_ids"]) for one in told["specific_populations"]]
    return {**told, "specific_populations": people}


def _matrix(data: Mapping[str, Any]) -> Any:
    kept = ("claim_element", "proposed", "have", "precedent_figure", "own_figure", "source_ids")
    return [[row[name] for name in kept] for row in data["evidence_to_claim_mapping"]]


def _slots(data: Mapping[str, Any]) -> Any:
    draft = data["proposed_indication_language"]
    return (draft["slots"], draft["confidence_score"], draft["source_ids"])


def _scores(data: Mapping[str, Any]) -> Any:
    """Return the scores; how a gap is closed is a duty of the region, what lacks is not."""
    told = data["risk_scores"]
    return {**told, "gaps": [one.partition(":")[0] for one in told["gaps"]]}


def _language(data: Mapping[str, Any]) -> str:
    return str(data["proposed_indication_language"]["language"])


def _pathway(data: Mapping[str, Any]) -> str:
    return str(data["executive_summary"]["likely_regulatory_positioning"])


def check(fields: dict[str, Any], bench: Bench, context: RunContext) -> Iterable[Fault]:
    """Return the faults of the answer to a request, asked of both agencies."""
    other = next(one for one in AGENCIES if one != fields["geography"])
    data, again = (
        run(LabelStrategyRequest.model_validate(one), context)
        for one in (fields, fields | {"geography": other})
    )
    labels = Labels(data, bench)
    return [
        *check_frequencies(data, labels),
        *check_expectations(data),
        *check_slots(data),
        *check_citations(data),
        *check_regions(data, again),
    ]


def main(home: str, seed: int = SEED) -> int:
    """Print the faults of each request; return 1 where there is one."""
    bench, context = Bench(home, seed), context_of(Path(home))
    counts: Counter[str] = Counter()
    drawn = draw(bench)
    clean = 0
    for place, row in enumerate(drawn):
        fields, began = make_request(bench, row, place), time.perf_counter()
        faults = list(check(fields, bench, context))
        took = time.perf_counter() - began
        asked = " | ".join(str(fields[name]) for name in ("asset_name", "target", "indication"))
        say(f"{took:5.1f} s  {len(faults):2} faults  {fields['geography']} | {asked}")
        for kind, text in faults:
            say(f"         {kind}: {text[:300]}")
            counts[kind] += 1
        clean += not faults
    told = ", ".join(f"{kind} {counts[kind]}" for kind in ("shares", "citations", "regions"))
    say(f"== seed {seed}: {len(drawn)} requests, {clean} without a fault; faults: {told}")
    return 1 if counts or len(drawn) < N else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:3])))
