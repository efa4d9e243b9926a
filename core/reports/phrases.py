"""Sentences as data: a phrase file holds the templates, code fills their slots.

A template is plain text with slots: `{name}` takes a text, `{n:drug|drugs}` a number with the noun
that agrees with it, `{n~is|are}` only the word that agrees.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

_SLOT = re.compile(r"\{(\w+)(?:([:~])([^|{}]*)\|([^{}]*))?\}")


class Phrases:
    """The phrases of one file."""

    def __init__(self, templates: Mapping[str, str]) -> None:
        """Keep the templates.

        Args:
            templates: Template by name.
        """
        self._templates = templates

    def fill(self, name: str, /, **slots: object) -> str:
        """Return a sentence: a phrase with its slots filled, its first letter a capital.

        Args:
            name: Of the phrase in the file.
            slots: Values by slot; a slot with nouns takes a whole number.

        Raises:
            KeyError: The file has no such phrase, or a slot has no value.

        >>> Phrases({"count": "{n:drug|drugs} {n~matches|match} {what}."}).fill(
        ...     "count", n=1, what="PD-1")
        '1 drug matches PD-1.'
        """
        text = self.part(name, **slots)
        return f"{text[:1].upper()}{text[1:]}"

    def get(self, name: str, default: str) -> str:
        """Return a phrase without slots; another text where the file has no such phrase."""
        return self._templates.get(name, default)

    def part(self, name: str, /, **slots: object) -> str:
        """Return a phrase that stands inside a sentence; see `fill`."""

        def value(slot: re.Match[str]) -> str:
            given = slots[slot[1]]
            if slot[2] is None:
                return str(given)
            number = int(str(given))
            word = slot[3] if number == 1 else slot[4]
            return word if slot[2] == "~" else f"{number:,} {word}"

        return _SLOT.sub(value, self._templates[name])


@cache
def load_phrases(path: Path) -> Phrases:
    """Return the phrases of a TOML file of `name = "template"` lines."""
    with path.open("rb") as file:
        return Phrases(tomllib.load(file))


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Return words as a list in a sentence.

    >>> join_words(["a"]), join_words(["a", "b"]), join_words(["a", "b", "c"])
    ('a', 'a and b', 'a, b, and c')
    """
    if len(words) < 3:
        return f" {last} ".join(words)
    return f"{', '.join(words[:-1])}, {last} {words[-1]}"


def show_date(day: str) -> str:
    """Return a day, month or year as people write it.

    >>> show_date("2026-11-14"), show_date("2026-11"), show_date("2026"), show_date("")
    ('14 Nov 2026', 'Nov 2026', '2026', '')
    """
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    year, *remaining = day.split("-")
    if not remaining or not all(number.isdigit() for number in remaining):
        return day
    month = months[int(remaining[0]) - 1]
    return " ".join([*([str(int(remaining[1]))] if len(remaining) > 1 else []), month, year])
