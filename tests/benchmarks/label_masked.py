"""Line, biomarker and age of sixty uses whose own label, trials and papers are masked.

`python -m tests.benchmarks.label_masked HOME [SEED]`: HOME is an instance with the reference files.
Labels are drawn by the seed over six areas, each with one disease of its own; the request names
disease, target and kind of drug, no line, no biomarker and no age. A slot is right where the draft
has what one of the label's uses in that disease has; beside it what the drawn use alone has.
Baseline is the modal answer of the area without the drug's own labels; the test is an exact paired
one. Boxed terms: those of the class at half of its labels or more and those of class rules, against
the class frequency alone.
"""

import math
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.agents.label_strategy.claim import markers_of, propose
from core.agents.label_strategy.classes import count_terms, leading
from core.agents.label_strategy.gathering import Use, gather
from core.agents.label_strategy.question import understand
from core.agents.label_strategy.schema import LabelStrategyRequest
from core.evidence.assets.precedents.label_sheets import (
    LabelSheet,
    newest_sheets,
    read_label_texts,
    read_sheets,
)
from core.evidence.assets.precedents.labels import USES, read_uses
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.label_extents import read_extent
from core.records.names import fold_name
from core.records.precedents import LabelUse
from core.records.runs import Caller
from core.settings import Settings
from core.vocabulary.lines import asked_by
from core.workbench import RunContext
from storage.stores import open_stores
from tests.benchmarks.targets import say

SEED = 20_261_123
PER_AREA = 10
HALF = 0.5
AREAS = {
    "oncology": r"cancer|carcinoma|sarcoma|melanoma|lymphoma|leukemia|myeloma|glioma|tumor|neoplas",
    "infection": r"infect|hepatitis|HIV|tubercul|pneumonia|malaria|COVID|influenza|sepsis|herpes",
    "nervous system": r"epilep|seizure|schizo|depress|bipolar|parkinson|alzheimer|migraine|"
    r"sclerosis|dystrophy|atrophy|myasthenia|pain|neuropath|insomnia|anxiety|chorea",
    "heart and metabolism": r"diabet|hypertens|cholesterol|lipid|obes|heart|cardi|thromb|stroke|"
    r"hypogly|gout|angina",
    "immune": r"arthrit|psoria|dermatitis|eczema|crohn|colitis|lupus|asthma|spondyl|urticaria|"
    r"alopecia|transplant|nephritis",
    "other": r"",
}
SLOTS = ("line", "biomarker", "age")


class Masked:
    """The evidence without some records."""

    def __init__(self, evidence: Any, hidden: set[str]) -> None:
        """Hide records.

        Args:
            evidence: The pack.
            hidden: Ids of the records.
        """
        self.inner, self.hidden = evidence, hidden

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def facts(self, query: Any) -> list[Any]:
        return [one for one in self.inner.facts(query) if one.fact.record_id not in self.hidden]

    def _without(self, name: str) -> Callable[..., dict[str, Any]]:
        read = getattr(self.inner, name)
        return lambda *given: {
            key: value for key, value in read(*given).items() if key not in self.hidden
        }

    def passages(self, *given: Any) -> dict[str, Any]:
        return self._without("passages")(*given)

    def mentions(self, *given: Any) -> dict[str, Any]:
        return self._without("mentions")(*given)

    def mentioning(self, *given: Any) -> dict[str, Any]:
        return self._without("mentioning")(*given)

    def records(self, *given: Any) -> dict[str, Any]:
        return self._without("records")(*given)


def area_of(disease: str) -> str:
    """Return the area of a disease."""
    return next(name for name, words in AREAS.items() if re.search(words, disease, re.IGNORECASE))


def slots_of(row: LabelUse) -> dict[str, str]:
    """Return the slots of a use as they are compared; "-" where the use does not tell its ages."""
    use = Use(row, 0, {}, read_extent(row.use.text), None, None)
    age = row.use.age
    kind = (
        "adults and children" if age.adults and age.children else "children" if age.children else ""
    )
    return {
        "line": str(asked_by(row.use.line) or ""),
        "biomarker": " | ".join(markers_of(use)[:1]),
        "age": kind or ("adults" if age.adults else "-"),
    }


class Bench:
    """Everything that the measurement reads once."""

    def __init__(self, home: str, seed: int) -> None:
        """Read all labels.

        Args:
            home: The instance.
            seed: Draws the labels.
        """
        stores = open_stores(Settings(home=Path(home), database_url=None))
        self.evidence = stores.evidence
        self.resolver = Resolver(stores.identity, stores.learned_names)
        self.sheets = {one.record_id: one for one in read_sheets(self.evidence, self.resolver)}
        whole = [one for one in newest_sheets(self.sheets.values()) if one.is_whole]
        passages = self.evidence.passages([one.record_id for one in whole], (USES,))
        rows = [one for one in read_uses(passages, self.evidence, self.resolver) if one.is_read]
        self.by_area: dict[str, list[LabelUse]] = defaultdict(list)
        for one in rows:
            if one.disease_keys:
                self.by_area[area_of(one.diseases[0])].append(one)
        self.rows, self.seed = rows, seed

    def draw(self) -> list[LabelUse]:
        """Return one use of each drawn label whose target and kind are known."""
        dice, drawn, seen = random.Random(self.seed), [], set()
        for area in AREAS:
            pool = [one for one in self.by_area[area] if self._is_known(one)]
            dice.shuffle(pool)
            taken = 0
            for one in pool:
                moiety = self.sheets[one.record_id].moiety
                if moiety not in seen and taken < PER_AREA:
                    seen.add(moiety)
                    taken += 1
                    drawn.append(one)
        return drawn

    def _is_known(self, row: LabelUse) -> bool:
        sheet = self.sheets[row.record_id]
        return bool(sheet.targets and sheet.modalities) and len(sheet.moiety) == 1

    def ask(self, row: LabelUse) -> tuple[dict[str, str], set[str], set[str], bool]:
        """Return the slots and boxed terms drafted for a use whose drug is masked."""
        sheet = self.sheets[row.record_id]
        names = sorted({fold_name(name) for name in (*sheet.drugs, *self._aliases(sheet))})
        hidden = set(self.evidence.mentioning("drug", names))
        masked: Any = Masked(self.evidence, hidden)
        request = LabelStrategyRequest(
            asset_name="masked asset",
            indication=row.diseases[0],
            modality=sheet.modalities[0],
            mechanism_of_action=f"acts on {sheet.targets[0]}",
            target=sheet.targets[0],
            development_stage="phase 3",
            geography="FDA",
        )
        context: Any = RunContext(
            *("run", 1, Caller(user_id=1, name="bench"), datetime(2026, 11, 23, tzinfo=UTC), 1),
            *(None, None, lambda *_: None, lambda *_: None, masked, self.resolver),  # type: ignore
        )
        question = understand(request, context)
        found = gather(request, question, context)
        claim = propose(question, found, is_accelerated=False)
        age = claim.age
        said = "adults and children" if age.adults and age.children else "children"
        slots = {
            "line": str(asked_by(claim.line) or ""),
            "biomarker": " | ".join(claim.biomarkers[:1]),
            "age": said if age.children else "adults",
        }
        group = leading(found.classes)
        counts = count_terms(group, found.texts) if group and group.is_enough else []
        common = {one.term for one in counts if (one.share or 0) >= HALF}
        rules = {one.term for one in question.rules("boxed")}
        return slots, common | rules, common, bool(found.uses)

    def _aliases(self, sheet: LabelSheet) -> set[str]:
        match = self.resolver.resolve_many("drug", list(sheet.drugs))
        return {
            one.name
            for found in match.values()
            if found.key
            for pack in self.resolver.packs
            for one in pack.names("drug", found.key)
        }

    def truth(self, row: LabelUse) -> list[dict[str, str]]:
        """Return the slots of all uses of the label in the disease."""
        return [
            slots_of(one)
            for one in self.rows
            if one.record_id == row.record_id and {*one.disease_keys} & {*row.disease_keys[:1]}
        ]

    def modal(self, row: LabelUse) -> dict[str, str]:
        """Return the commonest slots of the area, each drug once, without the drug's own."""
        own = self.sheets[row.record_id].moiety
        area = area_of(row.diseases[0])
        found: dict[str, dict[frozenset[str], str]] = {slot: {} for slot in SLOTS}
        for one in self.by_area[area]:
            moiety = self.sheets[one.record_id].moiety
            if moiety != own:
                for slot, value in slots_of(one).items():
                    if value != "-":
                        found[slot].setdefault(moiety, value)
        return {slot: Counter(told.values()).most_common(1)[0][0] for slot, told in found.items()}


def sign_test(better: int, worse: int) -> float:
    """Return the two-sided exact p of a paired comparison.

    >>> round(sign_test(10, 2), 3)
    0.039
    """
    n = better + worse
    tail = sum(math.comb(n, k) for k in range(min(better, worse) + 1)) / 2**n if n else 1.0
    return min(1.0, 2 * tail)


def main(home: str, seed: int = SEED) -> None:
    """Print the shares."""
    bench = Bench(home, seed)
    drawn = bench.draw()
    told: dict[str, list[tuple[bool, bool, bool, bool]]] = defaultdict(list)
    boxes: Counter[str] = Counter()
    held = 0
    for row in drawn:
        slots, terms, common, has_uses = bench.ask(row)
        held += has_uses
        own, one, modal = bench.truth(row), slots_of(row), bench.modal(row)
        for slot in SLOTS:
            right = {each[slot] for each in own} - {"-"}
            if right:
                strict = slots[slot] == one[slot]
                filled = bool(slots[slot])
                told[slot].append((slots[slot] in right, modal[slot] in right, strict, filled))
                if slots[slot] not in right:
                    where = f"{row.title} | {row.diseases[0]}"
                    say(f"{slot}: {slots[slot]!r} for {sorted(right)}: {where}")
        sheet = bench.sheets[row.record_id]
        truth = set(read_label_texts([sheet], bench.evidence)[row.record_id].boxed)
        _count(boxes, "ours", terms, truth)
        _count(boxes, "class", common, truth)
    say(f"== {len(drawn)} labels of {len(AREAS)} areas, seed {seed}; with a precedent {held}")
    for slot, rows in told.items():
        _tell(slot, rows)
    for name in ("ours", "class"):
        hit, said, true = (boxes[f"{name} {part}"] for part in ("hit", "said", "true"))
        say(f"== boxed terms, {name}: precision {hit}/{said}, recall {hit}/{true}")


def _count(boxes: Counter[str], name: str, said: set[str], truth: set[str]) -> None:
    boxes[f"{name} hit"] += len(said & truth)
    boxes[f"{name} said"] += len(said)
    boxes[f"{name} true"] += len(truth)


def _tell(slot: str, rows: Sequence[tuple[bool, bool, bool, bool]]) -> None:
    n = len(rows)
    ours, base, strict, filled = (sum(row[place] for row in rows) for place in range(4))
    better = sum(row[0] and not row[1] for row in rows)
    worse = sum(row[1] and not row[0] for row in rows)
    say(
        f"== {slot}: {ours}/{n} {ours / n:.0%}, modal of the area {base}/{n} {base / n:.0%} "
        f"(better {better}, worse {worse}, p={sign_test(better, worse):.3f}); the drawn use alone "
        f"{strict / n:.0%}; filled {filled / n:.0%}"
    )


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
