"""Words by which a question tells what it wants: an agent, a value of its form, or nothing here."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

from core.reports.phrases import load_phrases
from core.vocabulary.tables import TableRow, compile_pattern, load_rows

Use = Literal["advice", "forecast", "off topic", "instead", "page", "question", "route", "value"]


PHRASES = load_phrases(Path(__file__).with_name("phrases.toml"))


class AskWordRow(TableRow):
    """Words of one meaning.

    Attributes:
        use: "advice", "forecast" and "off topic": no agent answers; "page": the page of the drug
            answers; "question": such words make a question of what is typed into the bar; "route":
            `agent` answers; "instead": it is asked for `value` in their place; "value": they fill
            the field of an agent's form.
        agent: Name of the agent; "" where it is none's.
        field: Field that is filled; "outcome" of words that `value` comes close to without saying
            the same; the tab of a company's page that answers, too.
        value: What it is filled with; "named" of a route whose answer tells of the drugs named
            alone; the tab of a page; "" of an outcome that no agent knows.
        rank: Of several that match, the lowest counts.
        pattern: Regular expression, in any case.
    """

    use: Use
    agent: str
    field: str
    value: str
    rank: int
    pattern: str


@cache
def _patterns(use: Use) -> tuple[tuple[AskWordRow, re.Pattern[str]], ...]:
    rows = (row for row in load_rows("ask_words", AskWordRow) if row.use == use)
    ranked = sorted(rows, key=lambda row: row.rank)
    return tuple((row, compile_pattern(row.pattern, "ask_words")) for row in ranked)


def find_words(use: Use, text: str) -> Iterator[tuple[AskWordRow, str]]:
    """Yield the rows of a use that a text has words of, with these words, the first rank first."""
    for row, pattern in _patterns(use):
        if match := pattern.search(text):
            yield row, match[0]


def find_refusal(text: str) -> Use | None:
    """Return why no agent answers; None where nothing speaks against it."""
    kinds: tuple[Use, ...] = ("advice", "forecast", "off topic")
    return next((use for use in kinds if any(find_words(use, text))), None)


def find_route(text: str, *, has_drugs: bool = True) -> tuple[str, bool]:
    """Return the agent that the words ask for, "" for none, and whether of named drugs alone."""
    rows = (row for row, _ in find_words("route", text) if has_drugs or not row.value)
    return next(((row.agent, bool(row.value)) for row in rows), ("", False))


def find_value(agent: str, field: str, text: str) -> str:
    """Return what the words fill a field with; "" where they say nothing of it."""
    rows = (row for row, _ in find_words("value", text) if (row.agent, row.field) == (agent, field))
    return next((row.value for row in rows), "")


def without_ask_words(text: str) -> str:
    """Return a text without the words that choose agents and values."""
    uses: tuple[Use, ...] = ("route", "value", "question")
    for _, pattern in (pair for use in uses for pair in _patterns(use)):
        text = pattern.sub(" ", text)
    return text


def is_question(text: str) -> bool:
    """Return whether somebody asks for more than the page of a name.

    >>> is_question("Which TROP2 ADCs are in phase 3?"), is_question("pembrolizumab")
    (True, False)
    """
    asks = any(find_words("question", text)) or bool(find_route(text)[0])
    return asks and len(text.split()) > 2
