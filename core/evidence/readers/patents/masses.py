"""Masses that example texts tell: "MS (ESI) m/z 423.2 [M+H]+", by the number of the example."""

import re
from collections.abc import Iterator, Mapping, Sequence

from core.records.patents import PatentText

_HEADING = re.compile(
    r"^\W{0,3}(?:examples?|compounds?|cpd|ex)\b\.?\s*(?:no\.?\s*)?"
    r"([A-Z]{0,3}-?\d{1,4}[A-Za-z]?(?:[-.]\d{1,4})?)\b",
    re.IGNORECASE,
)
_PROTON = r"[\[(]?\s*M\s*\+\s*(?:H|1)\s*[\])]?\s*\+?"
_NUMBER = r"(\d{3,4}(?:\.\d{1,4})?)"
_BEFORE = re.compile(rf"{_NUMBER}\s*[\[(]?\s*{_PROTON}")
_AFTER = re.compile(rf"{_PROTON}[\s:=,)\]]*(?:found|observed|obs\.?)?[\s:=,]*{_NUMBER}")
_LABEL = re.compile(r"[A-Z]{0,3}-?\d{1,4}[A-Za-z]?(?:[-.]\d{1,4})?\s*$", re.IGNORECASE)


def read_masses(texts: Sequence[PatentText]) -> Mapping[str, tuple[float, ...]]:
    """Return the masses of protonated molecules by the number of the example they are told for.

    Args:
        texts: Sections of one document; claims tell none.
    """
    masses: dict[str, dict[float, None]] = {}
    for text in texts:
        if text.section != "description":
            continue
        number = ""
        for line in text.lines:
            heading = _HEADING.match(line.text)
            number = heading[1].upper() if heading else number
            if number:
                for mass in _read_line(line.text):
                    masses.setdefault(number, {})[mass] = None
    return {number: tuple(masses) for number, masses in masses.items()}


def _read_line(text: str) -> Iterator[float]:
    """Yield the masses of a line."""
    for pattern in (_BEFORE, _AFTER):
        yield from (float(match[1]) for match in pattern.finditer(text))


def number_of(label: str) -> str:
    """Return the number in a label.

    >>> number_of("Example 12a"), number_of("description"), number_of("Compound I-7")
    ('12A', '', 'I-7')
    """
    match = _LABEL.search(label)
    return match[0].strip().upper() if match else ""
