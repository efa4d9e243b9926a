"""In which country a company is at home: by its name, or by a place that its name tells."""

from collections.abc import Mapping
from functools import cache
from typing import Literal

from core.vocabulary.companies import load_companies
from core.vocabulary.tables import TableRow, load_rows

PARTS: Mapping[str, frozenset[str]] = {
    "Asia": frozenset({"China", "India", "Japan", "Korea", "Taiwan"}),
    "Europe": frozenset(
        {
            *("Austria", "Belgium", "Czechia", "Denmark", "Finland", "France", "Germany", "Greece"),
            *("Hungary", "Iceland", "Ireland", "Italy", "Luxembourg", "Netherlands", "Norway"),
            *("Poland", "Portugal", "Spain", "Sweden", "Switzerland", "United Kingdom"),
        }
    ),
}
"""Countries of parts of the world that a question may name."""
_AS_ASKED = {"South Korea": "Korea"}


class CompanyHomeRow(TableRow):
    """A home.

    Attributes:
        kind: Whether the name is a company's, or a place that names of companies tell.
        name: The group's name, or the place.
        country: Where it is.
    """

    kind: Literal["company", "place"]
    name: str
    country: str


_SIGNS = str.maketrans(dict.fromkeys(",()\uff08\uff09", " "))


def _fold(name: str) -> str:
    return " ".join(name.casefold().translate(_SIGNS).split())


@cache
def _homes(kind: str) -> Mapping[str, str]:
    rows = load_rows("company_homes", CompanyHomeRow)
    countries = {_fold(row.name): row.country for row in rows if row.kind == kind}
    if kind == "company":
        own_countries = {_fold(x.name): x.country for x in load_companies() if x.name == x.group}
        countries = {key: country for key, country in own_countries.items() if country} | countries
    return countries


@cache
def home_of(group: str) -> str:
    """Return the country of a company, in the words of questions; "" where none is known.

    >>> home_of("Jiangsu Hengrui"), home_of("Nowhere (Shanghai) Biotech"), home_of("Acme")
    ('China', 'China', '')
    """
    country = _homes("company").get(_fold(group), "")
    if not country:
        places = _homes("place")
        country = next((places[word] for word in _fold(group).split() if word in places), "")
    return _AS_ASKED.get(country, country)


def is_in(country: str, region: str) -> bool:
    """Return whether a country is the region that a question names, or lies in it."""
    return country == region or country in PARTS.get(region, ())
