"""Words of a question that are no names: kinds of drugs, stages, routes, patients, regions."""

from collections import defaultdict

from core.evidence.readers.questions.sheet import Sheet
from core.vocabulary.query_words import QueryWordRow, WordKind, fold_word, spellings

LONGEST = 6
"""Words of the longest spelling."""
Taken = dict[WordKind, list[str]]


def take_modifiers(sheet: Sheet) -> Taken:
    """Mark the words of the table that say something; return them by kind, in order.

    One spelling may be a word of two kinds: a PROTAC is a modality and a way of acting.
    """
    return _take(sheet, says_something=True)


def take_plain(sheet: Sheet) -> None:
    """Mark what is plain speech."""
    _take(sheet, says_something=False)


def _take(sheet: Sheet, *, says_something: bool) -> Taken:
    found: list[tuple[int, QueryWordRow]] = []
    for start, end, said in sheet.runs(LONGEST):
        rows = [
            row
            for row in spellings().get(fold_word(said), ())
            if (row.kind != "plain") == says_something and _is_meant(row, said)
        ]
        if rows and sheet.is_free(start, end):
            sheet.take(start, end, rows[0].kind, rows[0].word if says_something else "")
            found += [(start, row) for row in rows]
    by_kind: Taken = defaultdict(list)
    for _, row in sorted(found, key=lambda one: one[0]):
        by_kind[row.kind].append(row.word)
    return by_kind


def _is_meant(row: QueryWordRow, said: str) -> bool:
    """Return whether case tells a word from another: "US" is a country, "us" is none."""
    others = spellings()[fold_word(said)]
    is_short = len(said) < 3 and any(one.kind == "plain" for one in others)
    return not is_short or row.kind == "plain" or row.said == said
