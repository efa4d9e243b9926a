"""Papers, preprints and conference abstracts: answers of Europe PMC and of bioRxiv and medRxiv.

Sites: ebi.ac.uk/europepmc/webservices/rest (search, JSON) and api.biorxiv.org/details (both
servers). Their metadata may be used; abstracts belong to their publishers, so they are searched and
never printed. Authors are not read: the institution is who is called.
"""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.forms.importers import Importer, begins, read_from
from core.evidence.sources.files.forms.json_lists import read_document
from core.records.evidence import Mention, Parsed, Record, SourceType, Span
from core.tables.rows import SourceFile
from core.tables.values import read_date

EUROPE_PMC, PREPRINTS = "europepmc", "preprints"
LICENCE = "Metadata open; abstracts of their publishers, for search alone"
AFFILIATED = "affiliation"
"""Relation of the institution that a paper comes from."""
_MEETING = re.compile(r"meeting abstract|conference|congress", re.IGNORECASE)
_INSTITUTION = re.compile(
    r"[^,;]*\b(?:universi[td]|college|institut|hospital|school|cent(?:er|re)|clinic|academ|inserm|"
    r"inc\b|ltd|corp\b|plc\b|"
    r"llc|gmbh|pharma|therapeutics|bio\w*)[^,;]*",
    re.IGNORECASE,
)
_FORM = re.compile(r",\s*(Inc|LLC|Ltd|Limited|GmbH|Corp|Corporation|plc|AG|S\.A|L\.P)\b\.?", re.I)
_NUMBERED = re.compile(r"(?<![\w-])\d{1,2}\s+(?=[A-Z])")
_MARKUP = re.compile(r"</?(?:i|b|u|em|strong|sub|sup|p|h\d|jats:\w+)>", re.IGNORECASE)
_PARTS = re.compile(r"\b(?:department|division|school|faculty|laborator|section|unit)\b", re.I)
Json = Mapping[str, Any]


def read_europe_pmc(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record an article of a saved search (lite or core)."""
    document = read_document(source)
    listed = document.get("resultList")
    entries = listed.get("result") if isinstance(listed, Mapping) else None
    yield from _read_all(source, entries, describe_article)


def read_preprints(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a preprint, its newest version."""
    newest: dict[str, Json] = {}
    collection = read_document(source).get("collection")
    for entry in collection if isinstance(collection, list) else ():
        if isinstance(entry, Mapping):
            newest[str(entry.get("doi") or len(newest))] = entry
    yield from _read_all(source, [*newest.values()], _describe_preprint)


def _read_all(source: SourceFile, entries: object, describe: Any) -> Iterator[Parsed]:  # noqa: ANN401
    for line, entry in enumerate(entries if isinstance(entries, list) else (), start=1):
        parsed = describe(entry, source, line) if isinstance(entry, Mapping) else None
        if parsed is None:
            source.report(line, "no article: no identifier, no title or no day")
        else:
            yield parsed


def describe_article(entry: Json, source: SourceFile, line: int) -> Parsed | None:
    """Return the record of an article as Europe PMC lists it; None for one without a title.

    Args:
        entry: One result.
        source: Where it was read.
        line: Its place there, from 1.
    """
    collection, number = _text(entry, "source"), _text(entry, "id")
    title = plain_text(_text(entry, "title"), 400).rstrip(".")
    day = read_date(_text(entry, "firstPublicationDate"))
    if not (collection.isalnum() and re.fullmatch(r"[\w.-]+", number) and title and day):
        return None
    kind: SourceType = "paper"
    if collection == "PPR":
        kind = "preprint"
    elif _MEETING.search(_text(entry, "pubType")):
        kind = "conference_abstract"
    return _make(
        (EUROPE_PMC, f"{collection}/{number}"),
        f"https://europepmc.org/article/{collection}/{number}",
        kind,
        (title, plain_text(_text(entry, "abstractText"), 8_000), _text(entry, "affiliation")),
        day,
        (source, line),
    )


def _describe_preprint(entry: Json, source: SourceFile, line: int) -> Parsed | None:
    doi, title = _text(entry, "doi"), plain_text(_text(entry, "title"), 400)
    day = read_date(_text(entry, "date"))
    if not (re.fullmatch(r"10\.\d{4,9}/\S+", doi) and title and day):
        return None
    return _make(
        (PREPRINTS, doi),
        f"https://doi.org/{doi}",
        "preprint",
        (
            title,
            plain_text(_text(entry, "abstract"), 8_000),
            _text(entry, "author_corresponding_institution"),
        ),
        day,
        (source, line),
    )


def _make(
    key: tuple[str, str],
    url: str,
    kind: SourceType,
    texts: tuple[str, str, str],
    day: str,
    place: tuple[SourceFile, int],
) -> Parsed:
    """Return the record of title, abstract and affiliation."""
    title, about, affiliation = texts
    institution = read_institution(affiliation)
    if not institution and key[0] == PREPRINTS and "," not in affiliation:
        institution = clean_text(affiliation, 150)  # bioRxiv has the institution alone
    mentions = (Mention("company", institution, relation=AFFILIATED),) if institution else ()
    record = Record(
        *key,
        url,
        kind,
        title,
        published_on=day,
        updated_on=day,
        spans=(Span("abstract", about, 0, len(about)),) if about else (),
        mentions=mentions,
        **read_from(*place, LICENCE, quote_allowed=False),
    )
    return Parsed(record, ())


def read_institution(affiliation: str) -> str:
    """Return the institution of an affiliation; "" where none is recognized.

    >>> read_institution("Department of Medicine, Yale School of Medicine, Yale University, CT.")
    'Yale University'
    >>> read_institution("Merck & Co., Inc., Rahway, NJ, USA."), read_institution("Section A, Oslo")
    ('Merck & Co. Inc', '')
    """
    joined = _FORM.sub(r" \1", _NUMBERED.sub("", affiliation))
    names = [clean_text(match[0], 150).strip(" .") for match in _INSTITUTION.finditer(joined)]
    return next((name for name in names if not _PARTS.search(name)), "")


def plain_text(text: str, longest: int) -> str:
    """Return a text without its marks of italics and the like, also escaped ones."""
    return clean_text(_MARKUP.sub("", unescape(text)), longest)


def _text(entry: Json, name: str) -> str:
    value = entry.get(name)
    return value.strip() if isinstance(value, str) else ""


IMPORTERS = (
    Importer(
        "europe-pmc",
        begins('"hitCount"', '"resultList"'),
        read_europe_pmc,
        shape_basis="recorded answer",
    ),
    Importer(
        "preprints", begins('"messages"', '"collection"'), read_preprints, shape_basis="description"
    ),
)
