"""What cues come to beside what a reader makes of the same words, on texts drawn by a seed.

`python -m tests.benchmarks.cue_reading`: titles, arms, populations and labels for lines of
treatment; measures and times of posted results for figures from before treatment. Half and more
were drawn from texts that are read, the rest from those that have a word of a cue and are not.
Verdicts lie in `cue_verdicts.csv`; "" says that the words tell nothing.
"""

import csv
from collections.abc import Callable
from pathlib import Path

from core.evidence.readers.measures import is_before_treatment
from core.evidence.readers.trial_settings import read_line
from core.records.evidence import Fact, Qualifiers
from tests.benchmarks.targets import say

VERDICTS = Path(__file__).with_name("cue_verdicts.csv")


def read_time(text: str) -> str:
    """Return "before treatment" where a measure or a time is; it is written "kind|words"."""
    kind, _, words = text.partition("|")
    said = Qualifiers(time_point=words if kind == "time" else "")
    fact = Fact("", "", "trial_result", words if kind == "measure" else "", qualifiers=said)
    return "before treatment" if is_before_treatment(fact) else ""


READERS: dict[str, Callable[[str], str]] = {"line": read_line, "time": read_time}


def show_readings() -> None:
    """Print precision, share of what is told that is read, and each text read otherwise."""
    with VERDICTS.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    for reader, read in READERS.items():
        cases = [
            (row["text"], row["says"], read(row["text"])) for row in rows if row["reader"] == reader
        ]
        told = [one for one in cases if one[1]]
        given = [one for one in cases if one[2]]
        right = [one for one in given if one[1] == one[2]]
        for words, says, found in cases:
            if says != found:
                say(f"{reader}: {found or 'nothing'} for {says or 'nothing'}: {words}")
        say(
            f"== {reader}: {len(cases)} texts; precision {len(right)} of {len(given)}, "
            f"read {len(right)} of {len(told)} that tell"
        )


if __name__ == "__main__":
    show_readings()
