"""Lists of days that others put together: takeovers, filings, target dates, posted results.

What a list does not say stays empty. A filing that a search for a phrase found says only that it
was filed: the phrase is a word of the search, not what happened, and is not kept. Of takeovers the
computed value and the unsure maximum of contingent rights are left out.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.forms.importers import Importer, begins
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record, SourceType
from core.tables.rows import SourceFile, read_table
from core.tables.values import read_date
from core.vocabulary.predicates import Predicate

SEC_LICENCE = "SEC EDGAR, facts of filings"
DATES_LICENCE = "company announcements, facts with their address"
REGISTRY_LICENCE = "ClinicalTrials.gov, United States government, public domain"
_TRIAL = re.compile(r"NCT\d{8}")
_PRODUCT = re.compile(r"([^()]{3,60}?)\s*(?:\(([A-Za-z][\w-]{3,40}(?: [a-z][\w-]{2,30})?)\))?")
_OUTCOMES = {"APPROVED": "approval", "APPROVAL": "approval", "CRL": "complete response"}
_UNCHECKED = "WR-SW-Dev"


def read_takeovers(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a takeover."""
    for line, row in read_table(source):
        target, buyer = clean_text(row["target"], 150), clean_text(row["acquirer"], 150)
        announced, closed = read_date(row["announced"]), read_date(row["closed"])
        if not target or not buyer or not announced:
            source.report(line, "no target, no acquirer or no day")
            continue
        cik = row.get("cik", "")
        record = _dated(
            _record(
                source,
                line,
                ("sec-takeovers", f"{cik or target}-{announced}"),
                "deal",
                f"{buyer} takes over {target}",
            ),
            announced,
            url=_edgar(cik),
            licence=SEC_LICENCE,
            mentions=(
                Mention("company", target, relation="target"),
                Mention("company", buyer, relation="acquirer"),
            ),
        )
        stem = Fact(record.id, target, "", locator=f"line {line}")
        facts = [
            replace(stem, predicate=Predicate.ACQUIRED_BY, object=buyer),
            replace(stem, predicate=Predicate.DEAL_ANNOUNCED_ON, object=announced),
        ]
        if closed:
            facts.append(replace(stem, predicate=Predicate.DEAL_CLOSED_ON, object=closed))
        price = row.get("price_per_share", "")
        if re.fullmatch(r"\d+(?:\.\d+)?", price):
            unit = f"{row['currency']} a share"
            offered = replace(stem, predicate=Predicate.DEAL_PRICE, value=float(price), unit=unit)
            facts.append(offered)
        yield Parsed(record, tuple(facts))


def read_filings(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a filing, however many phrases found it."""
    seen: set[str] = set()
    for line, row in read_table(source):
        number, day = row["accession"].strip(), read_date(row["filed"])
        if not re.fullmatch(r"\d{10}-\d{2}-\d{6}", number) or not day:
            source.report(line, "no accession number or no day")
            continue
        if number in seen:
            continue
        seen.add(number)
        company, form = clean_text(row["company"], 150), clean_text(row["form"], 20)
        plain = number.replace("-", "")
        record = _dated(
            _record(source, line, ("sec-filings", number), "filing", f"{form} of {company}, {day}"),
            day,
            url=f"https://www.sec.gov/Archives/edgar/data/{row['cik']}/{plain}/",
            licence=SEC_LICENCE,
            mentions=(Mention("company", company, relation="filer"),),
        )
        fact = Fact(record.id, company, Predicate.FILED_ON, day, unit=form, locator=f"line {line}")
        yield Parsed(record, (fact,))


def read_fda_dates(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a target date or decision, unverified where nobody names a source."""
    for line, row in read_table(source):
        day, product = read_date(row["date"]), clean_text(row["product"], 120)
        kind, outcome = row["kind"].strip(), _OUTCOMES.get(row["outcome"].strip(), "")
        if not day or not product or (kind == "decision") != bool(outcome):
            source.report(line, "no day, no product or no known outcome")
            continue
        company = clean_text(row["company"], 150)
        names = _names(product)
        record = _dated(
            _record(
                source,
                line,
                ("fda-dates", clean_text(f"{day}-{kind}-{product}", 150)),
                "company_disclosure",
                f"FDA {outcome or kind}: {product}",
            ),
            day if outcome else "",
            url=row["source_url"] if row["source_url"].startswith("https://") else "",
            licence=DATES_LICENCE,
            mentions=(
                *(Mention("drug", name, relation="product") for name in names),
                *((Mention("company", company, relation="applicant"),) if company else ()),
            ),
        )
        qualifiers = Qualifiers(
            region="FDA", indication=clean_text(row["indication"], 300), population=outcome
        )
        is_checked = not row["origin"].startswith(_UNCHECKED)
        fact = Fact(
            record.id,
            names[0] if names else product,
            Predicate.DECIDED_ON if outcome else Predicate.TARGET_DATE,
            day,
            qualifiers=qualifiers,
            locator=f"line {line}",
            status="verified" if is_checked else "unverified",
            confidence=75 if is_checked else 50,
        )
        yield Parsed(record, (fact,))


def _names(product: str) -> list[str]:
    """Return brand and generic name of a product.

    >>> _names("Rezdiffra (resmetirom)"), _names("UX111 (AAV gene therapy)")
    (['Rezdiffra', 'resmetirom'], ['UX111'])
    """
    match = _PRODUCT.fullmatch(product)
    if match:
        return [group for group in match.groups() if group]
    return [product.partition("(")[0].strip()] if "(" in product else [product]


def read_posted(source: SourceFile) -> Iterator[Parsed]:
    """Yield when results of a trial were posted, and the p value of its only primary analysis."""
    for line, row in read_table(source):
        number, day = row["nct_id"], read_date(row["results_first_posted"])
        if not _TRIAL.fullmatch(number) or not day:
            source.report(line, "no number of a trial or no day")
            continue
        record = _dated(
            _record(
                source,
                line,
                ("ctgov-posted", number),
                "trial_registration",
                f"{number}: results posted at ClinicalTrials.gov",
            ),
            day,
            url=f"https://clinicaltrials.gov/study/{number}?tab=results",
            licence=REGISTRY_LICENCE,
        )
        stem = Fact(record.id, number, "", locator=f"line {line}", confidence=75)
        facts = [replace(stem, predicate=Predicate.TRIAL_RESULTS_POSTED, object=day)]
        p_value = row["p_value_of_primary"].strip()
        if p_value and row["n_analyses_of_primary"] == "1":
            primary = Qualifiers(population="the one analysis of a primary endpoint")
            value = float(p_value) if re.fullmatch(r"[01]?\.\d+|[01]", p_value) else None
            tested = replace(stem, predicate=Predicate.TRIAL_P_VALUE, object=p_value, value=value)
            facts.append(replace(tested, qualifiers=primary))
        yield Parsed(record, tuple(facts))


def _record(
    source: SourceFile, line: int, ids: tuple[str, str], kind: SourceType, title: str
) -> Record:
    return Record(
        source=ids[0],
        source_id=ids[1],
        url="",
        kind=kind,
        title=title,
        copied_on=source.as_of,
        fetched_at=source.fetched_at,
        origin=source.name,
        raw_ref=f"{source.name}:{line}",
    )


def _dated(record: Record, day: str, **fields: Any) -> Record:
    """Return a record of something that happened on a day."""
    return replace(record, published_on=day, updated_on=day, **fields)


def _edgar(cik: str) -> str:
    stem = "https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK="
    return f"{stem}{cik}" if cik.isdecimal() else ""


IMPORTERS = (
    Importer("takeovers", begins("target,ticker,cik,acquirer,announced,closed"), read_takeovers),
    Importer("filings", begins("filed,phrase_searched,company"), read_filings),
    Importer("fda-dates", begins("date,kind,ticker,company,product"), read_fda_dates),
    Importer("results-posted", begins("nct_id,phase,results_first_posted"), read_posted),
)
