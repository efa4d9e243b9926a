"""Every cue says what its table says, of the place that it means, and no more."""

import re

from core.evidence.readers.cues import CueReading, read_cues
from core.vocabulary.cues import CueReader, CueRow, compile_phrases
from core.vocabulary.tables import load_rows
from tests.rows import over_rows

ROWS = load_rows("cues", CueRow)
SPEAKING = [row for row in ROWS if row.category]
SILENT = [row for row in ROWS if not row.category]


def read_place(reader: CueReader, text: str) -> tuple[CueReading, int]:
    """Return the reading of a text without its brackets, and the place that they mark."""
    place = re.search(r"\[", text)
    return read_cues(reader, re.sub(r"[\[\]]", "", text)), place.start() if place else 0


def says(row: CueRow, text: str) -> bool:
    """Return whether a text has a cue's category, of the marked place where it speaks of one."""
    if row.direction == "here":
        return row.category in {mark.category for mark in read_cues(row.reader, text).here()}
    reading, place = read_place(row.reader, text)
    return reading.says(row.category, place)


@over_rows("row", SPEAKING)
def test_a_cue_says_so_in_its_example_and_not_in_its_counter_example(row) -> None:
    assert says(row, row.example)
    assert not says(row, row.counter_example)


@over_rows("row", SILENT)
def test_a_cue_without_category_keeps_others_silent(row) -> None:
    assert not list(read_cues(row.reader, row.example).here())
    assert list(read_cues(row.reader, row.counter_example).here())


@over_rows(
    ("cue", "said", "not_said"),
    [
        ("pre - dose|treatment", "Pretreatment, pre-dose", "pretreated"),
        ("relaps* ..1 to|on", "relapsing only on it", "relapsing, as was said, on it"),
        ("^ at? the? day # .? $", "Day 15.", "At day 15 or later"),
        ("(|[ baseline )|]", "Drugoxib ( Baseline )", "Drugoxib baseline"),
    ],
)
def test_a_cue_is_found_as_its_table_writes_it(cue, said, not_said) -> None:
    assert compile_phrases(cue).search(said)
    assert not compile_phrases(cue).search(not_said)


def test_a_reach_ends_after_its_words_and_at_a_word_that_stops_it() -> None:
    near, place = read_place("line", "prior chemotherapy with platinum in [second-line]")
    assert near.says("earlier", place)
    far = "prior " + "very " * 12 + "[second-line]"
    assert not read_place("line", far)[0].says("earlier", read_place("line", far)[1])
    stopped, place = read_place("line", "after surgery. A [second-line] treatment")
    assert not stopped.says("earlier", place)
