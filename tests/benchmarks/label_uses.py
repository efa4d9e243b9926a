"""Line, biomarker, age, regimen and accelerated approval of label uses read by hand.

`python -m tests.benchmarks.label_uses HOME`: HOME is an instance with the reference files; the
labels' own sections are read again and each drawn use looked for among them, by its text, else by
a text that holds it or that it ends with. Each draw was read by hand before the reader's slots
were seen; `first_wrong` names what was read wrongly before the faults of the draw were mended.
Rows of kind "no use" are openings of lists, headings and sentences that the reader took for uses.
"""

import csv
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.evidence.readers.label_uses import read_label_uses
from core.records.precedents import UseReading
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.targets import say

VERDICTS = Path(__file__).with_name("label_use_verdicts.csv")
LEAST = 60
"""Signs at its end by which a text is known again."""
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


def find(text: str, uses: Sequence[UseReading]) -> UseReading | None:
    """Return the use that has a text, holds its end or is its end; None where none does."""
    for fits in (
        lambda use: use.text == text,
        lambda use: use.text.endswith(text[-LEAST:]),
        lambda use: len(use.text) >= LEAST and text.endswith(use.text[-LEAST:]),
    ):
        if found := next(filter(fits, uses), None):
            return found
    return None


def show(home: str) -> None:
    """Print of each draw each slot's share that is read as by hand, and each difference."""
    evidence = open_stores(Settings(home=Path(home), database_url=None)).evidence
    with VERDICTS.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    passages = evidence.passages(sorted({row["label"] for row in rows}), ("indications_and_usage",))
    read = {
        label: read_label_uses(" ".join(span.text for span in spans))
        for label, spans in passages.items()
    }
    for draw in sorted({row["draw"] for row in rows}):
        _show_draw(draw, [row for row in rows if row["draw"] == draw], read)


def _show_draw(
    draw: str, rows: Sequence[dict[str, str]], read: Mapping[str, Sequence[UseReading]]
) -> None:
    right: Counter[str] = Counter()
    first = Counter(slot for row in rows for slot in row["first_wrong"].split("|"))
    uses = [row for row in rows if row["kind"] == "use"]
    others = [row for row in rows if row["kind"] != "use"]
    for row in uses:
        use = find(row["text"], read.get(row["label"], ()))
        found = slots_of(use) if use else {}
        for slot in SLOTS:
            right[slot] += found.get(slot) == row[slot]
            if found.get(slot) != row[slot]:
                say(f"{slot}: {found.get(slot)!r} for {row[slot]!r}: {row['text'][:90]}")
    still = [row for row in others if any(x.text == row["text"] for x in read[row["label"]])]
    say(f"== draw {draw}: {len(rows)} texts, {len(others)} no uses, {len(still)} still read as one")
    for slot in SLOTS:
        n = len(uses)
        say(f"== {slot}: {right[slot]} of {n} {right[slot] / n:.0%}; first {n - first[slot]}")


if __name__ == "__main__":
    show(sys.argv[1])
