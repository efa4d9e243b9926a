"""Words by which a question tells what it wants: an agent, a value of its form, or nothing here."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, compile_pattern, load_rows

Use = Literal["advice", "forecast", "off topic", "question", "route", "value"]


class AskWordRow(TableRow):
    """Words of one meaning.

    Attributes:
        use: "advice", "forecast" and "off topic": no agent answers; "question": such words make a
            question of what is typed into the bar; "route": `agent` answers; "value": they fill
            the field of an agent's form.
        agent: Name of the agent; "" where it is none's.
        field: Field that is filled.
        value: What it is filled with.
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


def _matching(use: Use, text: str) -> Iterator[AskWordRow]:
    return (row for row, pattern in _patterns(use) if pattern.search(text))


def find_refusal(text: str) -> Use | None:
    """Return why no agent answers; None where nothing speaks against it."""
    kinds: tuple[Use, ...] = ("advice", "forecast", "off topic")
    return next((use for use in kinds if any(_matching(use, text))), None)


def find_agent_words(text: str) -> str:
    """Return the agent that the words ask for; "" where they name none."""
    return next((row.agent for row in _matching("route", text)), "")


def find_value(agent: str, field: str, text: str) -> str:
    """Return what the words fill a field with; "" where they say nothing of it."""
    rows = (row for row in _matching("value", text) if (row.agent, row.field) == (agent, field))
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
    asks = any(_matching("question", text)) or bool(find_agent_words(text))
    return asks and len(text.split()) > 2
