"""Effects of trials as others read them: in labels, in reports, in the registry's own analyses.

Each row is a ratio or a difference with its interval, tied to one trial's number. What a row does
not say stays empty: without an endpoint there is no fact, and of several values for one endpoint
of one source none is taken, since a subgroup or a cohort would stand for the whole trial.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.forms.importers import Importer, has_columns, read_from
from core.records.evidence import Fact, Parsed, Qualifiers, Record, SourceType
from core.tables.rows import Row, SourceFile, read_table
from core.vocabulary.predicates import Predicate

LABEL_LICENCE = "US labels (openFDA), CC0, read by pattern"
PAPER_LICENCE = "numbers of abstracts (MIT collections)"
REGISTRY_LICENCE = "ClinicalTrials.gov, US government, public domain"
LICENCES = {
    "label-efficacy": LABEL_LICENCE,
    "trial-report": PAPER_LICENCE,
    "ctgov-analyses": REGISTRY_LICENCE,
    "ctgov": REGISTRY_LICENCE,
    "label": LABEL_LICENCE,
}
"""Terms by the source of a record of figures."""
RATIOS: Mapping[str, str] = {
    "HR": "hazard ratio",
    "OR": "odds ratio",
    "RR": "risk ratio",
    "rate ratio": "rate ratio",
}
_NUMBER = re.compile(r"NCT\d{8}")
_OPEN = frozenset({"", "primary endpoint (see source)", "death"})
"""Words that leave the endpoint open."""
_RATE = "% of patients (first arm in the table)"
Rows = list[tuple[int, Row]]


def read_label_effects(source: SourceFile) -> Iterator[Parsed]:
    """Yield what labels report of a trial: hazard ratios, and response rates of their first arm."""
    for (number, application), rows in _grouped(source, "nct_id", "application").items():
        _, first = rows[0]
        record = _record(
            source,
            ("label-efficacy", f"{application}-{number}"),
            "regulatory_label",
            f"US label of {clean_text(first['brand'], 80)}, clinical studies: {number}",
            day=_day(first["label_date"]),
            line=rows[0][0],
        )
        facts = tuple(_label_facts(rows, number, record.id))
        if facts:
            yield Parsed(record, facts)


def _label_facts(rows: Rows, number: str, record_id: str) -> Iterator[Fact]:
    for line, row in _single(rows, "endpoint", "measure"):
        unit = "%" if row["measure"] == _RATE else RATIOS.get(row["measure"], "")
        if unit:
            arm = clean_text(row["generic"], 200)
            yield _fact(record_id, number, row, unit, line, arm=arm, basis="label")


def read_paper_effects(source: SourceFile) -> Iterator[Parsed]:
    """Yield the ratios that the main report of a trial names with their endpoint."""
    for (number, pmid), rows in _grouped(source, "nct_id", "pmid").items():
        main = [row for row in rows if row[1]["analysis"] == "main"]
        if not main or not pmid.isdecimal():
            continue
        year, journal = main[0][1]["year"], clean_text(main[0][1]["journal"], 120)
        record = _record(
            source,
            ("trial-report", f"{pmid}-{number}"),
            "paper",
            f"{journal} {year}: report of {number}" if journal else f"Report of {number}, {year}",
            day=year,
            line=main[0][0],
            url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        )
        facts = tuple(
            _fact(record.id, number, row, RATIOS[row["measure"]], line, basis="report")
            for line, row in _single(main, "endpoint", "measure")
            if row["measure"] in RATIOS
        )
        if facts:
            yield Parsed(record, facts)


def read_registry_effects(source: SourceFile) -> Iterator[Parsed]:
    """Yield the ratios of the registry's own analyses whose outcome is named."""
    for (number,), rows in _grouped(source, "nct_id").items():
        record = _record(
            source,
            ("ctgov-analyses", number),
            "trial_registration",
            f"{number}: analyses posted at ClinicalTrials.gov",
            line=rows[0][0],
            url=f"https://clinicaltrials.gov/study/{number}?tab=results",
        )
        named = [(line, {**row, "endpoint": row["outcome"]}) for line, row in rows]
        facts = tuple(
            _fact(record.id, number, row, RATIOS[row["measure"]], line, basis="registry")
            for line, row in _single(named, "endpoint", "measure")
            if row["measure"] in RATIOS
        )
        if facts:
            yield Parsed(record, facts)


def _grouped(source: SourceFile, *columns: str) -> dict[tuple[str, ...], Rows]:
    """Return the rows by their columns; a row without a trial's number is reported."""
    groups: dict[tuple[str, ...], Rows] = defaultdict(list)
    for line, row in read_table(source):
        if not _NUMBER.fullmatch(row["nct_id"]):
            source.report(line, f"{clean_text(row['nct_id'], 30)!r} is no trial number")
            continue
        groups[tuple(row[name] for name in columns)].append((line, row))
    return groups


def _single(rows: Sequence[tuple[int, Row]], *columns: str) -> Iterator[tuple[int, Row]]:
    """Yield the rows whose endpoint is named and stands alone among those of its source."""
    groups: dict[tuple[str, ...], Rows] = defaultdict(list)
    for line, row in rows:
        groups[tuple(row[name].casefold() for name in columns)].append((line, row))
    for group in groups.values():
        line, row = group[0]
        if len(group) == 1 and row["endpoint"].casefold() not in _OPEN and _is_whole(row):
            yield line, row


def _is_whole(row: Row) -> bool:
    """Return whether a row has a value within its interval."""
    try:
        value, low, high = (float(row[name]) for name in ("value", "ci_low", "ci_high"))
    except ValueError:
        return False
    return low <= value <= high


def _fact(
    record_id: str, number: str, row: Row, unit: str, line: int, *, arm: str = "", basis: str
) -> Fact:
    level = row.get("ci_level") or "95"
    level = f"{float(level) * 100:g}" if float(level) <= 1 else f"{float(level):g}"
    endpoint = clean_text(row["endpoint"], 300)
    sizes = row.get("n_randomised") or ""
    return Fact(
        record_id,
        number,
        Predicate.TRIAL_EFFECT,
        f"{unit} for {endpoint}" if unit != "%" else endpoint,
        value=float(row["value"]),
        unit=unit,
        qualifiers=Qualifiers(
            arm=arm,
            n=sizes if sizes.isdecimal() else "",
            interval=f"{level}% CI: {row['ci_low']}, {row['ci_high']}",
            population=basis,
        ),
        locator=f"line {line}",
        confidence=75,
    )


def _record(
    source: SourceFile,
    ids: tuple[str, str],
    kind: SourceType,
    title: str,
    *,
    line: int,
    day: str = "",
    url: str = "",
) -> Record:
    return Record(
        source=ids[0],
        source_id=ids[1],
        url=url,
        kind=kind,
        title=title,
        published_on=day,
        updated_on=day,
        **read_from(source, line, LICENCES[ids[0]], quote_allowed=False),
    )


def _day(text: str) -> str:
    return f"{text[:4]}-{text[4:6]}-{text[6:8]}" if re.fullmatch(r"\d{8}", text) else ""


IMPORTERS = (
    Importer(
        "label-effects",
        has_columns("nct_id", "brand", "generic", "application", "label_date", "endpoint"),
        read_label_effects,
    ),
    Importer(
        "trial-reports",
        has_columns("nct_id", "pmid", "year", "journal", "analysis"),
        read_paper_effects,
    ),
    Importer(
        "registry-effects",
        has_columns("nct_id", "phase", "start_date", "enrollment", "drug_class", "outcome"),
        read_registry_effects,
    ),
)
