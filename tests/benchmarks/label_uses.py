"""Line, biomarker, age, regimen and accelerated approval of a hundred label uses read by hand.

`python -m tests.benchmarks.label_uses HOME`: HOME is an instance with the reference files; the
labels' own sections are read again and each drawn use looked for among them. The uses were drawn
by seed 42 from the 1,871 of 398 labels; `first_wrong` names what was read wrongly before the
faults of the draw were mended (line 94, biomarker 96, age 98, regimen 99, accelerated 100 of 100).
"""

import csv
import sys
from collections import Counter
from pathlib import Path

from core.evidence.readers.label_uses import read_label_uses
from core.records.precedents import UseReading
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.targets import say

VERDICTS = Path(__file__).with_name("label_use_verdicts.csv")
SLOTS = ("line", "biomarker", "age", "regimen", "accelerated")


def slots_of(use: UseReading) -> dict[str, str]:
    """Return what a use tells, as verdicts write it."""
    return {
        "line": use.line,
        "biomarker": use.biomarker,
        "age": use.age.words,
        "regimen": use.regimen,
        "accelerated": "yes" if use.is_accelerated else "",
    }


def show(home: str) -> None:
    """Print each slot's share that is read as by hand, and each difference."""
    evidence = open_stores(Settings(home=Path(home), database_url=None)).evidence
    with VERDICTS.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    labels = sorted({row["label"] for row in rows})
    passages = evidence.passages(labels, ("indications_and_usage",))
    read = {
        (label, use.text): slots_of(use)
        for label, spans in passages.items()
        for use in read_label_uses(" ".join(span.text for span in spans))
    }
    right: Counter[str] = Counter()
    first: Counter[str] = Counter(row["first_wrong"] for row in rows)
    for row in rows:
        found = read.get((row["label"], row["text"]), {})
        for slot in SLOTS:
            right[slot] += found.get(slot) == row[slot]
            if found.get(slot) != row[slot]:
                say(f"{slot}: {found.get(slot)!r} for {row[slot]!r}: {row['text'][:90]}")
    for slot in SLOTS:
        say(f"== {slot}: {right[slot]} of {len(rows)}; first reading {len(rows) - first[slot]}")


if __name__ == "__main__":
    show(sys.argv[1])
