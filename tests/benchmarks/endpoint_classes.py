"""How many primary endpoints of phase 2 and 3 have a class, and how many classes are right.

`python -m tests.benchmarks.endpoint_classes HOME`: coverage over all primary endpoints of
the instance's trials; accuracy over three draws by seed from 12,019 endpoints of the reference
records (an endpoint drawn twice counts twice). Verdicts lie in `endpoint_verdicts.csv`; "" says
that no class of the table fits or that the title tells none. `first_reading` is what the table of
that day came to before the faults of the draw were mended.
"""

import csv
import sys
from collections import Counter
from pathlib import Path

from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import FactQuery
from core.settings import Settings
from core.vocabulary.endpoints import classify_endpoint
from core.vocabulary.predicates import Predicate
from storage.stores import open_stores
from tests.benchmarks.targets import say

VERDICTS = Path(__file__).with_name("endpoint_verdicts.csv")
PHASES = ("PHASE2", "PHASE2_3", "PHASE3")


def show_accuracy() -> None:
    """Print, by draw, how many drawn endpoints have a class and how many classes are right."""
    with VERDICTS.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    for draw in sorted({row["draw"] for row in rows}):
        first: Counter[str] = Counter()
        now: Counter[str] = Counter()
        for row in (row for row in rows if row["draw"] == draw):
            found = classify_endpoint(row["text"])
            name = found.name if found else ""
            state = "right" if name == row["says"] else "wrong"
            first[row["first_reading"]] += int(row["times"])
            now[state if name else "none"] += int(row["times"])
            if name and state == "wrong":
                say(f"{name} for {row['says'] or 'nothing'}: {row['text'][:100]}")
        say(f"== draw {draw}: first reading {_share(first)}; now {_share(now)}")


def _share(counts: Counter[str]) -> str:
    told = counts["right"] + counts["wrong"]
    return f"{told} of {counts.total()} have a class, right {counts['right'] / told:.1%}"


def show_coverage(evidence: EvidenceReader) -> None:
    """Print how many primary endpoints of phase 2 and 3 have a class, and the classes."""
    told = evidence.facts(FactQuery(predicates=[Predicate.TRIAL_PHASE], sources=["ctgov"]))
    phases = {one.fact.record_id: one.fact.object for one in told if one.fact.object in PHASES}
    said = evidence.facts(FactQuery(predicates=[Predicate.TRIAL_ENDPOINT], sources=["ctgov"]))
    total: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for one in said:
        phase = phases.get(one.fact.record_id)
        if phase and one.fact.qualifiers.population == "primary":
            total[phase] += 1
            known[phase] += classify_endpoint(one.fact.object) is not None
    for phase, number in sorted(total.items()):
        say(f"{phase}: {known[phase]} of {number} ({known[phase] / number:.1%})")
    say(f"all: {known.total()} of {total.total()} ({known.total() / total.total():.1%})")


if __name__ == "__main__":
    show_accuracy()
    show_coverage(open_stores(Settings(home=Path(sys.argv[1]), database_url=None)).evidence)
