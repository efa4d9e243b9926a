"""Numbers of patents and applications, and what a family and its dates follow from.

A weekly file lists parents, their patents and earlier publications in one row of numbers, most
without saying which is which; the order of the row is that of the Red Book (parent application,
its patent, PCT application, child).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

FilingKind = Literal["application", "provisional", "pct", "foreign", "publication"]
PROVISIONAL = re.compile(r"6[0-4]\d{6}")
_PCT = re.compile(r"PCT/([A-Z]{2})(\d{2}|\d{4})/0*(\d{1,7})")
_FIRST_EIGHT_DIGITS = 10_000_000
_LAST_EIGHT_DIGITS = 13_000_000
"""US patents have eight digits since 2018; series 10 to 12 of applications are as long."""
_DAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})")
_CENTURY = 2000
_FOUR = 4
_LONGEST = 30


@dataclass(frozen=True, slots=True)
class Filing:
    """An application or publication that a document names as its relative.

    Attributes:
        country: Office.
        number: As normalized; a publication's with its kind.
        on: Filing day of an application, day of a publication; None where not told.
        kind: What it is.
    """

    country: str
    number: str
    on: str | None
    kind: FilingKind


@dataclass(frozen=True, slots=True)
class Family:
    """What the relatives of a document say of it.

    Attributes:
        key: The number that members of the family share.
        members: Other publications named, sorted.
        priority_on: Earliest filing day told.
        earliest_nonprovisional_on: Earliest told without provisionals and foreign priorities;
            None while an earlier application may be hidden behind an undated one.
    """

    key: str
    members: tuple[str, ...]
    priority_on: str | None
    earliest_nonprovisional_on: str | None


def write_number(country: str, number: str, kind: str) -> str:
    """Return a publication number in one form; "" where it is none.

    >>> write_number("US", "08927118", "B2"), write_number("WO", "2021/104431", "A1")
    ('US8927118B2', 'WO2021104431A1')
    """
    plain = re.sub(r"[\s,./-]", "", number).upper().lstrip("0")
    written = f"{country.strip().upper()}{plain}{kind.strip().upper()}"
    is_number = re.fullmatch(r"[A-Z]{2}[A-Z]{0,3}\d{1,14}([A-Z]\d?)?", written)
    return written if is_number else ""


def split_number(written: str) -> tuple[str, str, str]:
    """Return office, number and kind of a publication number.

    >>> split_number("US-12122787-B2"), split_number("WO2021104431A1")
    (('US', '12122787', 'B2'), ('WO', '2021104431', 'A1'))
    """
    match = re.fullmatch(r"([A-Z]{2})([A-Z]{0,3}\d+)([A-Z]\d?)?", re.sub(r"[^A-Z\d]", "", written))
    return (match[1], match[2], match[3] or "") if match else ("", "", "")


def write_pct(number: str) -> str:
    """Return a PCT application number in one form; "" where it is none.

    >>> write_pct("PCT/GB18/53678"), write_pct("PCT/GB2018/053678")
    ('PCT/GB2018/053678', 'PCT/GB2018/053678')
    """
    match = _PCT.fullmatch(re.sub(r"\s", "", number).upper())
    if not match:
        return ""
    year = match[2] if len(match[2]) == _FOUR else str(_year(int(match[2])))
    return f"PCT/{match[1]}{year}/{int(match[3]):06d}"


def _year(short: int) -> int:
    """Return the year of two digits; the treaty began in 1978."""
    return _CENTURY + short if short < 78 else _CENTURY - 100 + short  # noqa: PLR2004 - as said


def read_day(value: object) -> str | None:
    """Return a day of eight digits as YYYY-MM-DD.

    >>> read_day("20241022"), read_day("2024"), read_day(None)
    ('2024-10-22', None, None)
    """
    match = _DAY.fullmatch(value) if isinstance(value, str) else None
    if not match or not ("01" <= match[2] <= "12" and "01" <= match[3] <= "31"):
        return None
    return "-".join(match.groups())


def read_relatives(rows: Iterable[tuple[str, str, str, object]]) -> list[Filing]:
    """Return what the row of related numbers of a weekly file holds.

    Args:
        rows: Country, number, kind ("" where not told) and date of each, in the file's order.
    """
    filings: list[Filing] = []
    before: Filing | None = None
    for country, number, kind, day in rows:
        before = _read_relative(country.strip().upper(), number.strip(), kind, day, before)
        if before:
            filings.append(before)
    return filings


def _read_relative(
    country: str, number: str, kind: str, day: object, before: Filing | None
) -> Filing | None:
    """Return one number as what it is; None where it is no number."""
    on = read_day(day)
    pct = write_pct(number)
    if pct:
        return Filing("WO", pct, on, "pct")
    plain = re.sub(r"[\s,./-]", "", number).upper()
    if not plain or len(plain) > _LONGEST or not re.fullmatch(r"[A-Z]{0,4}\d+[A-Z\d]*", plain):
        return None
    if kind or country == "WO" or (country == "US" and _is_published(plain, before)):
        written = write_number(country, plain, kind)
        return Filing(country, written, on, "publication") if written else None
    if country != "US":
        return Filing(country, f"{country}{plain}", on, "foreign")
    what: FilingKind = "provisional" if PROVISIONAL.fullmatch(plain) else "application"
    return Filing("US", f"US{plain}", on, what)


def _is_published(plain: str, before: Filing | None) -> bool:
    """Return whether a US number without a kind is that of a publication or patent."""
    if not plain.isdecimal() or len(plain) != 8:  # noqa: PLR2004 - digits of an application
        return True
    if not _FIRST_EIGHT_DIGITS <= int(plain) < _LAST_EIGHT_DIGITS or before is None:
        return False
    return before.kind == "application" and int(before.number[2:]) > int(plain)


def derive_family(filing: Filing, relatives: Sequence[Filing], publication: str) -> Family:
    """Return family and dates of a document."""
    others = [relative for relative in relatives if relative.number != filing.number]
    dated = {other.number for other in others if other.on}
    applications = [other for other in others if other.kind in {"application", "pct"}]
    days = [application.on for application in (filing, *applications) if application.on]
    has_pct = any(other.kind == "pct" and other.on for other in others)
    is_hidden = not has_pct and any(application.number not in dated for application in applications)
    known_days = days + [
        other.on for other in others if other.on and other.kind in {"provisional", "foreign"}
    ]
    published = {other.number for other in others if other.kind == "publication"} - {publication}
    return Family(
        _key(filing, others),
        tuple(sorted(published)),
        min(known_days, default=None),
        None if is_hidden else min(days, default=None),
    )


def _key(own_filing: Filing, others: Sequence[Filing]) -> str:
    """Return the number that members share: PCT, first priority, first parent, or its own."""
    for kinds in ({"pct"}, {"provisional", "foreign"}, {"application"}):
        chosen = [filing for filing in others if filing.kind in kinds]
        if chosen:
            return min(chosen, key=lambda filing: (filing.on or "9999", filing.number)).number
    return own_filing.number
