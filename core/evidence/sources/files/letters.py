"""FDA's complete response letters: a collection of July 2025, and openFDA's own JSON.

Site: api.fda.gov/transparency/crl.json; letters are works of the United States government. Of the
collection's fields only the name of the file tells to whom and for which applications a letter
went: its list of applications has those that the text speaks of, too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.evidence.names.cleaning import clean_text
from core.evidence.readers.letters import read_deficiencies, read_letter_days
from core.evidence.sources.files.forms.importers import Importer, read_from
from core.evidence.sources.files.forms.json_lists import read_objects
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record
from core.tables.rows import SourceFile
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

LICENCE = "FDA, United States government, public domain"
COMPLETE = "COMPLETE RESPONSE"
PAGE = "https://open.fda.gov/crltable/"
Json = Mapping[str, Any]
_NUMBER = re.compile(r"\b(A?NDA|BLA)[\s_-]*(\d{2,3}-?\d{3})(?!\d)", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][\w-]+(?: [A-Za-z][\w-]+){0,2}")
_FORM = re.compile(
    r"\b(?:tablets?|capsules?|injection|solution|for|extended|release|kit|system|oral|powder)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter.

    Attributes:
        name: Of its file.
        applications: As "NDA208288".
        company: To whom it went.
        product: As the file's name has it; "" where it does not.
        days: Its days, each with where it stands.
        text: As converted.
    """

    name: str
    applications: Sequence[str]
    company: str
    product: str
    days: Mapping[str, str]
    text: str


def read_letters(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a letter."""
    for line, entry in read_objects(source):
        text = entry.get("text")
        letter = None
        if str(entry.get("letter_type", COMPLETE)).strip().upper() != COMPLETE:
            continue  # a refusal to file, a tentative approval
        if isinstance(text, str):
            letter = _of_openfda(entry, text) if "letter_date" in entry else _kept(entry, text)
        if letter is None or not letter.name:
            source.report(line, "no letter: no text or no name")
            continue
        if not letter.applications:
            source.report(line, f"{clean_text(letter.name, 60)}: no number of an application")
            continue
        yield _describe(letter, source, line)


def _kept(entry: Json, text: str) -> Letter:
    """Return a letter of the collection."""
    name = str(entry.get("file", "")).rpartition("/")[2].removesuffix(".md")
    listed = [str(number) for number in entry.get("applications") or []]
    signed = tuple(
        day for day_text in entry.get("signed_on") or [] if (day := read_date(str(day_text)))
    )
    return Letter(
        name,
        numbers_in(name) or (listed if len(listed) == 1 else []),
        clean_text(str(entry.get("company") or ""), 200),
        clean_text(str(entry.get("product") or ""), 200),
        read_letter_days(text, signed),
        text,
    )


def _of_openfda(entry: Json, text: str) -> Letter:
    """Return a letter of openFDA; its own field of the day counts where the text has none."""
    numbers = entry.get("application_number") or []
    numbers_text = " ".join(map(str, numbers if isinstance(numbers, list) else [numbers]))
    month, _, day_and_year = str(entry.get("letter_date", "")).partition("/")
    day, _, year = day_and_year.partition("/")
    stated = read_date(f"{year}-{month:0>2}-{day:0>2}") if year else ""
    return Letter(
        clean_text(str(entry.get("file_name", "")), 150).removesuffix(".pdf"),
        numbers_in(numbers_text),
        clean_text(str(entry.get("company_name") or ""), 200),
        "",
        read_letter_days(text) or ({stated: "letter_date"} if stated else {}),
        text,
    )


def numbers_in(text: str) -> list[str]:
    """Return the numbers of applications that a text names.

    >>> numbers_in("Genentech-NDA_214410_NDA_210854-XOFLUZA"), numbers_in("NDA_21-164-Gepirone")
    (['NDA214410', 'NDA210854'], ['NDA021164'])
    """
    plain = text.replace("_", " ")
    plain = re.sub(r"(?<=\d)(?=(?:NDA|BLA))", " ", plain)
    candidates = (
        f"{match[1].upper()}{match[2].replace('-', ''):0>6}" for match in _NUMBER.finditer(plain)
    )
    return list(dict.fromkeys(candidates))


def _describe(letter: Letter, source: SourceFile, line: int) -> Parsed:
    first = min(letter.days, default="")
    product = letter.product if _is_name(letter.product) else ""
    numbers = ", ".join(letter.applications)
    record = Record(
        source="fda-letters",
        source_id=clean_text(letter.name, 150),
        url=PAGE,
        kind="regulatory_notice",
        title=f"Complete response letter to {numbers}: {letter.product or letter.company}",
        published_on=first,
        updated_on=max(letter.days, default=""),
        **read_from(source, line, LICENCE),
        mentions=(
            *((Mention("drug", product, relation="product"),) if product else ()),
            *(
                (Mention("company", letter.company, relation="addressee"),)
                if letter.company
                else ()
            ),
        ),
    )
    return Parsed(record, tuple(_facts(record.id, letter)))


def _is_name(product: str) -> bool:
    """Return whether a product is told by a name alone, without form and strength."""
    return _NAME.fullmatch(product) is not None and not _FORM.search(product)


def _facts(record_id: str, letter: Letter) -> Iterator[Fact]:
    at_fda = Qualifiers(region="FDA")
    subject = letter.applications[0]
    for number in letter.applications:
        yield Fact(
            record_id, number, Predicate.APPLICATION, number, qualifiers=at_fda, locator="file name"
        )
    if letter.company:
        yield Fact(record_id, subject, Predicate.LETTER_TO, letter.company, locator="file name")
    for day, locator in letter.days.items():
        yield Fact(
            record_id,
            subject,
            Predicate.LETTER_ON,
            day,
            qualifiers=at_fda,
            as_of=day,
            locator=locator,
        )
    for deficiency, head in read_deficiencies(letter.text).items():
        qualifiers = Qualifiers(region="FDA", population=head)
        yield Fact(
            record_id,
            subject,
            Predicate.LETTER_DEFICIENCY,
            deficiency,
            qualifiers=qualifiers,
            locator=f"head {clean_text(head, 90)!r}",
        )


def is_letters(path: Path, head: str) -> bool:
    """Return whether a file begins like complete response letters."""
    is_collection = '"applications"' in head and '"signed_on"' in head and '"file"' in head
    return is_collection or ('"letter_date"' in head and '"application_number"' in head)


IMPORTERS = (Importer("letters", is_letters, read_letters),)
