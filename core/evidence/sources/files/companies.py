"""Pipelines as companies show them (JSON), and the list of Japanese approvals (CSV).

The pipelines: Open Targets pharma portfolio, Apache-2.0. The approvals: PMDA's list.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.forms.importers import Importer, begins, has_columns
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record, Span
from core.tables.bounds import LARGEST_MEMBER
from core.tables.rows import Row, SourceFile, open_text, read_table
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

PORTFOLIO_LICENCE = "Open Targets pharma portfolio, Apache-2.0"
PMDA_LICENCE = "PMDA list of approved products"
PMDA_PAGE = (
    "https://www.pmda.go.jp/english/review-services/reviews/approved-information/drugs/0002.html"
)
LONGEST_NUMBER = 175
"""With the name of its source it fits a cell of the starter pack."""
_STAGES = {
    "phase 1": "PHASE1",
    "phase 1/2": "PHASE1_2",
    "phase 2": "PHASE2",
    "phase 2/3": "PHASE2_3",
    "phase 3": "PHASE3",
    "phase 1a": "PHASE1",
    "phase 1b": "PHASE1",
    "phase 2a": "PHASE2",
    "phase 2b": "PHASE2",
    "preclinical": "PRECLINICAL",
    "filed": "FILED",
    "preregistration": "FILED",
    "registration": "FILED",
    "under review": "FILED",
    "regulatory review": "FILED",
    "approved": "APPROVED",
    "marketed": "APPROVED",
}
_HIGHEST = {1: "PHASE1", 1.5: "PHASE1_2", 2: "PHASE2", 2.5: "PHASE2_3", 3: "PHASE3"} | {
    3.5: "FILED",
    4: "APPROVED",
}
Json = Mapping[str, Any]


def stage_word(text: str) -> str:
    """Return a company's word for a stage as the contract's; "" when it is not known.

    >>> stage_word("Phase 1/2"), stage_word("Registration"), stage_word("Exploring")
    ('PHASE1_2', 'FILED', '')
    """
    return _STAGES.get(re.sub(r"\s+", " ", text.replace("/ ", "/")).strip().casefold(), "")


def read_pipelines(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record an asset of a company."""
    with open_text(source.path, largest=LARGEST_MEMBER) as text:
        try:
            companies = json.load(text)["companies"]
        except (ValueError, KeyError, TypeError):
            source.report(1, 'no JSON object with "companies"')
            return
    for name, company in companies.items():
        for index, asset in enumerate(company.get("assets", [])):
            label = asset.get("asset") if isinstance(asset, Mapping) else None
            if not isinstance(label, str) or not clean_text(label):
                source.report(index + 1, f"{clean_text(name, 60)}: an asset without a name")
                continue
            locator = f"companies.{name}.assets[{index}]"
            yield _describe_asset(asset, clean_text(name), company, (source, locator))


def _describe_asset(
    asset: Json, company: str, page: Json, origin: tuple[SourceFile, str]
) -> Parsed:
    source, locator = origin
    label = clean_text(asset["asset"])
    as_of = read_date(str(page.get("as_of", "")))
    synonyms = [clean_text(str(name)) for name in asset.get("synonyms") or []]
    indications = [
        clean_text(str(program.get("indication") or "")) for program in asset["programs"]
    ]
    record = Record(
        source="pipeline",
        source_id=clean_text(f"{company}/{label}", 200),
        url=str(page.get("source_url", "")),
        kind="company_disclosure",
        title=f"{company} pipeline: {label}",
        copied_on=as_of,
        fetched_at=source.fetched_at,
        licence=PORTFOLIO_LICENCE,
        origin=source.name,
        raw_ref=f"{source.name}:{locator}",
        mentions=(
            Mention("drug", label, "investigational", "asset"),
            *(Mention("drug", name, "investigational", "synonym") for name in synonyms if name),
            Mention("company", company, relation="pipeline"),
            *(Mention("disease", name, relation="indication") for name in indications if name),
        ),
    )
    return Parsed(record, tuple(_asset_facts(record.id, label, asset, (company, as_of, locator))))


def _asset_facts(
    record_id: str, label: str, asset: Json, context: tuple[str, str, str]
) -> Iterator[Fact]:
    """Yield what a company says of an asset."""
    company, as_of, locator = context

    def say(predicate: str, words: object, field_path: str, indication: str = "") -> Fact:
        return Fact(
            record_id,
            label,
            predicate,
            clean_text(str(words)),
            qualifiers=Qualifiers(indication=indication),
            as_of=as_of,
            locator=f"{locator}.{field_path}",
        )

    yield say(Predicate.DEVELOPED_BY, company, "company")
    for word, predicate in (("mechanism", Predicate.ACTS_ON), ("modality", Predicate.HAS_MODALITY)):
        if asset.get(word):
            yield say(predicate, asset[word], word)
    for index, name in enumerate(asset.get("synonyms") or []):
        yield say(Predicate.HAS_ALIAS, name, f"synonyms[{index}]")
    if asset.get("max_phase") in _HIGHEST:
        yield say(Predicate.HIGHEST_STAGE, _HIGHEST[asset["max_phase"]], "max_phase")
    for index, program in enumerate(asset["programs"]):
        indication = clean_text(str(program.get("indication") or ""))
        stage = stage_word(str(program.get("phase") or ""))
        if stage:
            yield say(Predicate.IN_STAGE, stage, f"programs[{index}]", indication)
        if program.get("nct"):
            yield say(Predicate.PROGRAM_TRIAL, program["nct"], f"programs[{index}].nct", indication)


def read_pmda(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a row of the list."""
    for line, row in read_table(source):
        named = {name.strip(): cell for name, cell in row.items()}
        day = read_date(clean_text(named.get("Approval Date", "")))
        ingredient = clean_text(_column(named, "Active Ingredient"))
        words = clean_text(_column(named, "Brand Name"))
        brand, company = _split_company(_plain_brand(words, ingredient))
        if not day or not ingredient:
            source.report(line, "no approval date or no ingredient")
            continue
        indication = clean_text(named.get("Indications", ""), 2_000)
        yield _describe_approval(row, (day, ingredient, brand, company, indication), source, line)


def _describe_approval(
    row: Row, context: tuple[str, str, str, str, str], source: SourceFile, line: int
) -> Parsed:
    day, ingredient, brand, company, indication = context
    kinds = " ".join(dict.fromkeys(_column(row, "New Approval").split()))
    record = Record(
        source="pmda",
        source_id=_number(day, brand or company, ingredient),
        url=PMDA_PAGE,
        kind="approval_package",
        title=f"PMDA {day[:7]}: {brand} ({ingredient})"
        if brand
        else f"PMDA {day[:7]}: {ingredient}",
        published_on=day,
        updated_on=day,
        fetched_at=source.fetched_at,
        licence=PMDA_LICENCE,
        origin=source.name,
        raw_ref=f"{source.name}:{line}",
        spans=(Span("indications", indication, 0, len(indication)),) if indication else (),
        mentions=(
            Mention("drug", ingredient, relation="ingredient"),
            *((Mention("drug", brand, relation="brand"),) if brand else ()),
            *((Mention("company", company, relation="applicant"),) if company else ()),
        ),
    )
    return Parsed(record, tuple(_approval_facts(record.id, context, kinds)))


def _number(day: str, product: str, ingredient: str) -> str:
    """Return what stands for the number that the list does not give, cut to a cell's length.

    >>> _number("2021-01-22", "Drugoxine Tablets 5 mg " * 9, "drugoxine")[-26:]
    'goxine Tablets 5/drugoxine'
    """
    number = f"{day}/{product}/{ingredient}"
    if len(number) > LONGEST_NUMBER:
        product, ingredient = cut_at_word(product, 90), cut_at_word(ingredient, 70)
    return clean_text(f"{day}/{product}/{ingredient}", LONGEST_NUMBER)


def cut_at_word(text: str, most: int) -> str:
    """Return a text's first words, as many as have room.

    >>> cut_at_word("one two three", 9)
    'one two'
    """
    return text if len(text) <= most else text[:most].rpartition(" ")[0] or text[:most]


def _approval_facts(
    record_id: str, context: tuple[str, str, str, str, str], kinds: str
) -> Iterator[Fact]:
    day, ingredient, brand, company, indication = context
    stem = Fact(record_id, ingredient, "", as_of=day)
    yield replace(
        stem,
        predicate=Predicate.APPROVED_ON
        if "Approval" in kinds.split()
        else Predicate.APPROVAL_CHANGED_ON,
        object=day,
        qualifiers=Qualifiers(region="PMDA", indication=indication[:300]),
        locator="Approval Date",
    )
    if brand:
        yield replace(stem, predicate=Predicate.HAS_ALIAS, object=brand, locator="Brand Name")
    if company:
        yield replace(
            stem,
            predicate=Predicate.APPLICATION_HOLDER,
            object=company,
            qualifiers=Qualifiers(region="PMDA"),
            locator="Brand Name (Applicant Company)",
        )


def _column(row: Row, stem: str) -> str:
    return next((cell for name, cell in row.items() if name.strip().startswith(stem)), "")


_LINE_NUMBER = re.compile(r"^\d{1,3} (?=[A-Za-z]|\d-[A-Z])")
_BESIDE = re.compile(r"\s+/\s+([A-Za-z]+)$")
_ROUND = str.maketrans("\u1ca2\u1ca3\u10e2\u10e3\uff08\uff09", "()()()")
"""Brackets as the lists of 2004 to 2009 have them, some damaged."""
_WITHIN = re.compile(r"\s*\(([^()]*\b(?:Ltd|LTD|Inc|K\.\s?K|KK|Corporation|Limited)\b[^()]*)\)\s*")


def _plain_brand(text: str, ingredient: str) -> str:
    """Return a brand without the list's line number and without what is given beside the drug.

    >>> _plain_brand("30 Trisenox Injection 10mg", "Arsenic Trioxide")
    'Trisenox Injection 10mg'
    >>> _plain_brand("41 5-FU injection 250", "5-Fluorouracil")
    '5-FU injection 250'
    >>> _plain_brand("2 Zione Injection / Lidocaine", "tannic acid")
    'Zione Injection'
    """
    plain = _LINE_NUMBER.sub("", text.translate(_ROUND))
    beside = _BESIDE.search(plain)
    if beside and beside[1].casefold() not in ingredient.casefold():
        plain = plain[: beside.start()]
    return plain


_COMPANY = re.compile(r"\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*$")


def _split_company(text: str) -> tuple[str, str]:
    """Return brand and applicant of "Brand (Applicant)"; of several applicants none.

    >>> _split_company("Celecoxib (Pfizer Japan Inc.) Celecox Tablets 100mg")
    ('Celecoxib Celecox Tablets 100mg', 'Pfizer Japan Inc.')
    """
    within = [" ".join(name.split()) for name in _WITHIN.findall(text)]
    if within:
        brand = " ".join(_WITHIN.sub(" ", text).split())
        return brand, within[0] if len(set(within)) == 1 else ""
    match = _COMPANY.search(text)
    return (text[: match.start()].strip(), match[1].strip()) if match else (text, "")


IMPORTERS = (
    Importer("pipelines", begins('"companies"', '"assets"', '"programs"'), read_pipelines),
    Importer("pmda", has_columns("Brand Name (Applicant Company)", "Approval Date"), read_pmda),
)
