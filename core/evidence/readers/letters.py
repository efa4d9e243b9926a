"""Complete response letters: their day, and of which disciplines their parts are.

What stands before a letter was put there by whoever converted it, and dates within it are those of
submissions. A day is that of the one electronic signature, else that of the letter's own title.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime

from core.vocabulary.deficiencies import Deficiency, deficiencies_of

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAY = rf"((?:{_MONTHS})\s+\d{{1,2}},?\s+\d{{4}}|\d{{1,2}}/\d{{1,2}}/\d{{4}})"
_SIGNED = re.compile(
    r"(?:/s/|\b(?:electronically signed|signed electronically|date of signature|signature|"
    r"signed)\b)"
    rf"(?:(?!\bletters?\b|\bdated\b|\breceived\b)[^\d]){{0,160}}?{_DAY}",
    re.IGNORECASE,
)
_TITLE = re.compile(
    rf"^[#*\s]*complete response(?: letter)?\s*(?:[\u2013\u2014-]|\()\s*{_DAY}\)?[\s*]*$",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = re.compile(
    r"^\s*(?:(?P<signs>#{1,6})\s*(?P<head>[^\n#]{3,90})|\*\*(?P<bold>[^*\n]{3,90})\*\*:?|"
    r"(?P<capitals>[A-Z][A-Z /,&()-]{5,80}))\s*$",
    re.MULTILINE,
)
_BESIDE = re.compile(
    r"\badditional (?:comments?|recommendations?)|\bnot approvability|\bnon-?approva|"
    r"\bgeneral comments?|\bother\b|\bpost-?marketing|\bsafety update|\bmeeting",
    re.IGNORECASE,
)
_BOLD = 7
"""Depth of a head in bold type: below every other."""


def read_letter_days(text: str, signed: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the days of the letters of a text, each with where it stands; empty if unclear.

    Args:
        text: The letter as converted.
        signed: Days of its electronic signatures (YYYY-MM-DD), where they are known.

    >>> read_letter_days("Date: May 2, 2020 ... NDA dated July 1, 2019 ... /s/ N N 08/30/2020")
    {'2020-08-30': 'signature'}
    >>> read_letter_days("NDA dated July 1, 2019, received July 2, 2019")
    {}
    """
    days = {*signed} or {*_signatures(text)}
    titled = {day for match in _TITLE.finditer(text) if (day := _iso(match[1]))}
    if titled:
        return dict.fromkeys(sorted(titled), "title")
    if len(days) == 1:
        return dict.fromkeys(days, "signature")
    return {}


def _signatures(text: str) -> Iterator[str]:
    for match in _SIGNED.finditer(text):
        day = _iso(match[1])
        if day:
            yield day


def _iso(text: str) -> str:
    """Return a day as YYYY-MM-DD; "" for none of this agency's letters."""
    for form in ("%m/%d/%Y", "%B %d %Y"):
        try:
            day = datetime.strptime(" ".join(text.replace(",", " ").split()), form).date()  # noqa: DTZ007 - a day
        except ValueError:
            continue
        return day.isoformat() if date(1995, 1, 1) <= day else ""
    return ""


def read_deficiencies(text: str) -> dict[Deficiency, str]:
    """Return the classes of a letter's parts, each with the head that told it.

    What stands below remarks that are no reason of the decision tells nothing.
    """
    passages: dict[Deficiency, str] = {}
    beside = 0
    for match in _HEAD.finditer(text):
        head = match["head"] or match["bold"] or match["capitals"]
        depth = len(match["signs"]) if match["signs"] else _BOLD if match["bold"] else 1
        if beside and depth > beside:
            continue
        beside = depth if _BESIDE.search(head) else 0
        for deficiency in () if beside else deficiencies_of(head):
            passages.setdefault(deficiency, head.strip(" *:"))
    return passages
