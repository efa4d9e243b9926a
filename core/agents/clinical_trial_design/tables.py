"""Tables of the design: rates of success, traits of areas, pathways, endpoints, events."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal

from core.evidence.assets.coverage import load_areas
from core.evidence.names.identity.resolver import Resolver
from core.vocabulary.tables import TableRow, compile_pattern, load_rows

ALL = "all"


class SuccessRow(TableRow):
    """Shares of programs that go on from one phase to the next."""

    area: str
    phase1: float
    phase2: float
    phase3: float
    filing: float


class StepRow(TableRow):
    """An adjustment on the log-odds scale."""

    name: str
    delta_logit: float


class AreaRow(TableRow):
    """Traits of a field of medicine; lists are joined with "|"."""

    area: str
    serious: Literal["", "yes"]
    chronic: Literal["", "yes"]
    trials: int
    factors: str
    exclusions: str
    modes: Literal["", "oncology"]

    @property
    def is_oncology(self) -> bool:
        """Return whether cancer's rules hold."""
        return self.modes == "oncology"


class PathwayRow(TableRow):
    """A pathway of an agency with what triggers it; the lowest rank that fires is the likely."""

    agency: str
    pathway: str
    trigger: str
    consequence: str
    review_months: str
    rank: int
    kind: Literal["route", "program", "designation", "consideration"]


class AgencyRow(TableRow):
    """An agency: names, joined with "|", countries of its region, and what it sees otherwise."""

    agency: str
    names: str
    regions: str
    area: Literal["", "Cancer"]
    difference: str


class IntercurrentRow(TableRow):
    """An intercurrent event with its strategy, by type of endpoint, agency and area."""

    type: str
    agency: str
    area: str
    event: str
    strategy: str


class EndpointRoleRow(TableRow):
    """What an endpoint class supports and what goes with it.

    Attributes:
        surrogate_for: Class of the earlier endpoint that may be analyzed first.
        unless: Settings where that one cannot be measured.
    """

    endpoint: str
    supports: Literal["full", "accelerated", "none"]
    key_secondary: str
    secondary: str
    months: str
    surrogate_for: str
    unless: str


class InterestRow(TableRow):
    """An event of special interest: words of labels, how it is watched, kinds and targets."""

    term: str
    pattern: str
    monitoring: str
    kinds: str
    drug_words: str


class ExclusionLimitRow(TableRow):
    """An exclusion that is usual in an area, with the settings where it makes no sense."""

    exclusion: str
    unless: str
    instead: str


class BenchmarkRow(TableRow):
    """A benchmark of recruitment."""

    key: str
    low: str
    median: float
    high: str
    unit: str


def split(cell: str) -> tuple[str, ...]:
    """Return the parts of a cell."""
    return tuple(filter(None, cell.split("|")))


def fit_exclusions(exclusions: tuple[str, ...], setting: str) -> Iterator[str]:
    """Yield the exclusions of an area that make sense in a setting, or what takes their place."""
    rows: tuple[ExclusionLimitRow, ...] = load_rows("exclusion_limits", ExclusionLimitRow)
    off = {row.exclusion: row.instead for row in rows if re.search(row.unless, setting, re.I)}
    yield from filter(None, (off.get(exclusion, exclusion) for exclusion in exclusions))


def areas_of(keys: tuple[str, ...], resolver: Resolver) -> list[str]:
    """Return the fields of medicine of diseases, in the order of the table of areas."""
    above = {
        ancestor for key in keys for ancestor in (key, *resolver.identity.ancestors("disease", key))
    }
    return list(dict.fromkeys(area for area, top in load_areas() if top in above))


def area_traits(areas: list[str]) -> AreaRow:
    """Return the traits of the first area with a row; cancer goes first."""
    rows: dict[str, AreaRow] = {row.area: row for row in load_rows("area_traits", AreaRow)}
    ranked = sorted(areas, key=lambda area: area not in {"Cancer", "Hematologic"})
    return next((rows[area] for area in ranked if area in rows), rows[ALL])


def success_row(area: str) -> SuccessRow:
    """Return the rates of an area, else those of all."""
    table = load_rows("success_rates", SuccessRow)
    rows: dict[str, SuccessRow] = {row.area: row for row in table}
    return rows.get(area, rows[ALL])


def success_steps() -> dict[str, StepRow]:
    """Return the adjustments by name."""
    return {row.name: row for row in load_rows("success_steps", StepRow)}


def pathways_of(agency: str) -> list[PathwayRow]:
    """Return an agency's pathways, those that weigh most first."""
    rows = [row for row in load_rows("pathways", PathwayRow) if row.agency == agency]
    return sorted(rows, key=lambda row: (row.rank, row.pathway))


@cache
def _agencies() -> dict[str, str]:
    return {
        name: row.agency
        for row in load_rows("agency_traits", AgencyRow)
        for name in split(row.names)
    }


def find_agency(text: str) -> str:
    """Return the agency that a text names; "" where it names none.

    >>> find_agency("US FDA"), find_agency("Europe"), find_agency("Atlantis")
    ('FDA', 'EMA', '')
    """
    folded = " ".join(re.sub(r"[^a-z. ]", " ", text.casefold()).split())
    if folded in _agencies():
        return _agencies()[folded]
    words = [agency for agency in sorted(_agencies(), key=len, reverse=True) if len(agency) > 2]
    pattern = next((word for word in words if re.search(rf"\b{re.escape(word)}\b", folded)), "")
    return _agencies().get(pattern, "")


def find_agencies(text: str) -> tuple[str, ...]:
    """Return the agencies that a text names, each once, in its order.

    >>> find_agencies("FDA, EMA"), find_agencies("FDA and PMDA"), find_agencies("Atlantis")
    (('FDA', 'EMA'), ('FDA', 'PMDA'), ())
    """
    parts = re.split(r",|;|/|&|\+|\band\b", text)
    return tuple(dict.fromkeys(filter(None, map(find_agency, filter(str.strip, parts)))))


def agency_rows(agency: str) -> list[AgencyRow]:
    """Return what is known of an agency."""
    return [row for row in load_rows("agency_traits", AgencyRow) if row.agency == agency]


def intercurrent_events(kind: str, agency: str, area: str) -> list[IntercurrentRow]:
    """Return the intercurrent events of a type of endpoint, each once."""
    home = agency if agency in {"FDA", "EMA"} else "other"
    field = "Cancer" if area == "Cancer" else "other"
    return [
        row
        for row in load_rows("intercurrent", IntercurrentRow)
        if row.type == kind and row.agency in {"", home} and row.area in {"", field}
    ]


def endpoint_role(name: str) -> EndpointRoleRow | None:
    """Return what an endpoint class supports; None where the table does not say."""
    rows = load_rows("endpoint_roles", EndpointRoleRow)
    return next((row for row in rows if row.endpoint == name), None)


@cache
def interest_terms() -> tuple[tuple[InterestRow, re.Pattern[str]], ...]:
    """Return the events of special interest with their patterns."""
    rows = load_rows("interest_terms", InterestRow)
    return tuple((row, compile_pattern(row.pattern, "interest_terms")) for row in rows)


def benchmark(key: str) -> float:
    """Return the median of a benchmark of recruitment."""
    rows: tuple[BenchmarkRow, ...] = load_rows("feasibility_benchmarks", BenchmarkRow)
    return next(row.median for row in rows if row.key == key)
