"""What an answer must say of how its question was read; what was dropped comes first."""

from collections.abc import Iterable, Iterator

from core.evidence.readers.questions.parsed import Change, ParsedText

MOST = 12
"""Words that one notice lists."""
LONGEST = 40
"""Signs that are shown of a part that was not read."""


def notices_of(parsed: ParsedText) -> Iterator[str]:
    """Yield a sentence for everything that was dropped, corrected, added or is ambiguous."""
    if parsed.unread:
        yield f"too_long: the question was read up to {_quote((parsed.unread[:LONGEST],))}."
    if parsed.unknown_diseases:
        yield (
            f"disease_unknown: {_quote(parsed.unknown_diseases)} is no disease known here; it "
            "filters nothing."
        )
    yield from _of_changes(parsed)
    if parsed.families:
        members = [
            f"{family.text} ({', '.join(family.gene_symbols)})" for family in parsed.families
        ]
        yield f"family: {'; '.join(members)} is a family; a drug on any of its members counts."
    if parsed.adjacent:
        names = ", ".join(expression.text for expression in parsed.adjacent)
        yield f"same_axis: {names} is the other end of the axis; its drugs are listed, too."


_QUALIFIERS = {
    "lines": "line of therapy",
    "populations": "patients",
    "biomarkers": "biomarker",
    "routes": "route",
    "not_routes": "excluded route",
    "regions": "home of the owner",
    "not_regions": "excluded home of the owner",
    "territories": "market",
    "agencies": "regulator",
    "not_agencies": "excluded regulator",
    "not_stages": "excluded stage",
}
"""Qualifiers that not every agent can narrow by, by field."""


def warn_unfiltered(texts: Iterable[ParsedText], *applied: str) -> Iterator[str]:
    """Yield which qualifiers were understood, but narrow nothing in this answer."""
    parts = list(texts)
    named = {
        title: list(dict.fromkeys(str(value) for text in parts for value in getattr(text, field)))
        for field, title in _QUALIFIERS.items()
        if field not in applied
    }
    shown = [f"{title} ({_quote(tuple(values))})" for title, values in named.items() if values]
    if shown:
        yield f"not_filtered: {'; '.join(shown)}: understood, but nothing was narrowed by it."


def _of_changes(parsed: ParsedText) -> Iterator[str]:
    for why, code, words in (
        ("translated", "translated", "was read as"),
        ("mended", "mended", "was read as"),
        ("ambiguous", "two_meanings", "may also mean"),
        ("offered", "did_you_mean", "is not known; did you mean"),
    ):
        changes = [change for change in parsed.changes if change.why == why][:MOST]
        if changes:
            yield f"{code}: {'; '.join(_say(change, words) for change in changes)}."


def _say(change: Change, words: str) -> str:
    return f"{_quote((change.said,))} {words} {change.meant}"


def _quote(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word}”" for word in words[:MOST])
