"""What people know or read of a drug, as records of the evidence store.

What somebody knows comes to one record a drug. Its facts are of basis "expert" and unverified:
every cell that rests on them alone is marked. What somebody read comes to one record a drug and
address, published there.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.evidence.readers.trial_settings import read_biomarker, read_line
from core.evidence.sources.pack.files import Row
from core.evidence.sources.pack.reading import load_rows
from core.evidence.sources.pack.schema import is_published
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record
from core.records.names import fold_name
from core.vocabulary.predicates import Predicate

SOURCE = "pack"
ORIGIN = "starter pack"
LICENCE = "starter pack of this product: the curators' own knowledge, not confirmed"
LICENCE_OF_READ = "starter pack of this product: facts that a curator read at the address named"
CONFIDENCE = 50
DETAIL = -1
"""Less than any copy of a source itself."""
_TABLES = ("drugs", "drug_names", "company_roles", "stages", "ends", "results")
Tables = Mapping[str, Sequence[Row]]


def own_records() -> Iterator[Parsed]:
    """Yield the records of each drug that the pack names."""
    rows_by_drug = {name: _by_drug(load_rows(name)) for name in _TABLES}
    for drug in rows_by_drug["drugs"]:
        yield from describe_drug(drug, {name: rows[drug] for name, rows in rows_by_drug.items()})


def _by_drug(rows: Sequence[Row]) -> Mapping[str, list[Row]]:
    rows_by_drug: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        rows_by_drug[row["drug"]].append(row)
    return rows_by_drug


def describe_drug(drug: str, tables: Tables) -> Iterator[Parsed]:
    """Yield the record of what is known of a drug, then one for each address that was read.

    Args:
        drug: Its name.
        tables: Its rows by table; one of the table of drugs at least.
    """
    known_rows = _of(tables, "")
    if any(known_rows.values()):
        record = Record(
            source=SOURCE,
            source_id=fold_name(drug),
            url="",
            kind="database_record",
            title=f"Starter pack: {drug} ({tables['drugs'][0]['mechanism']})",
            updated_on=max(row["curated_on"] for rows in known_rows.values() for row in rows),
            licence=LICENCE,
            quote_allowed=True,
            origin=ORIGIN,
            raw_ref="drugs.csv",
            detail=DETAIL,
            mentions=tuple(_mentions(drug, known_rows)),
        )
        stem = Fact(
            record.id,
            drug,
            "",
            basis="expert",
            status="unverified",
            method="human",
            confidence=CONFIDENCE,
        )
        yield Parsed(record, tuple(_facts(stem, known_rows)))
    every = [row for rows in tables.values() for row in rows if is_published(row)]
    for url in dict.fromkeys(row["source_url"] for row in every):
        yield _describe_read(drug, url, _of(tables, url))


def _of(tables: Tables, url: str) -> Tables:
    """Return the rows that were read at an address; without one, those that somebody knows."""
    return {
        name: [row for row in rows if (row["source_url"] if is_published(row) else "") == url]
        for name, rows in tables.items()
    }


def published_id(drug: str, url: str) -> str:
    """Return the identifier of the record of what was read of a drug at an address."""
    mark = hashlib.sha256(url.encode()).hexdigest()[:12]
    return f"{SOURCE}:{fold_name(drug)}/{mark}"


def _describe_read(drug: str, url: str, tables: Tables) -> Parsed:
    every = [row for rows in tables.values() for row in rows]
    newest = max(every, key=lambda row: row["as_of"])
    record = Record(
        source=SOURCE,
        source_id=published_id(drug, url).partition(":")[2],
        url=url,
        kind="database_record",
        title=newest["source_title"],
        copied_on=newest["as_of"],
        fetched_at=max(row["verified_on"] or row["curated_on"] for row in every),
        licence=LICENCE_OF_READ,
        origin=ORIGIN,
        raw_ref=next(f"{name}.csv" for name, rows in tables.items() if rows),
        detail=DETAIL,
        mentions=tuple(_mentions(drug, tables)),
    )
    return Parsed(record, tuple(_facts(Fact(record.id, drug, "", method="human"), tables)))


def _mentions(drug: str, tables: Tables) -> list[Mention]:
    companies = [row["originator"] for row in tables["drugs"] if row["originator"]]
    companies += [row["company"] for row in tables["company_roles"]]
    return [
        Mention("drug", drug, "investigational", "asset"),
        *(
            Mention("drug", row["name"], "investigational", "synonym")
            for row in tables["drug_names"]
        ),
        *(Mention("company", company, relation="pipeline") for company in dict.fromkeys(companies)),
        *(
            Mention("disease", indication, relation="indication")
            for indication in dict.fromkeys(
                row["indication"]
                for name in ("stages", "ends", "results")
                for row in tables[name]
                if row["indication"]
            )
        ),
    ]


def _facts(stem: Fact, tables: Tables) -> Iterator[Fact]:
    for row in tables["drugs"]:
        about = _about(stem, row, "drugs")
        for predicate, words in (
            (Predicate.ACTS_ON, row["mechanism"]),
            (Predicate.HAS_MODALITY, row["modality"]),
            (Predicate.ORIGINATED_BY, row["originator"]),
        ):
            if words:
                yield replace(about, predicate=predicate, object=words)
    for row in tables["drug_names"]:
        about = _about(stem, row, "drug_names")
        yield replace(about, predicate=Predicate.HAS_ALIAS, object=row["name"])
    for row in tables["company_roles"]:
        yield replace(
            _about(stem, row, "company_roles"),
            predicate=Predicate.HAS_ROLE,
            object=row["company"],
            unit=row["role"],
            qualifiers=Qualifiers(
                region=row["territory"],
                time_point=(
                    f"{row['from_on']} to {row['to_on']}".strip()
                    if row["from_on"] or row["to_on"]
                    else ""
                ),
            ),
        )
    yield from _stages(stem, tables["stages"])
    yield from _ends(stem, tables["ends"])
    yield from _results(stem, tables["results"])


def _stages(stem: Fact, rows: Sequence[Row]) -> Iterator[Fact]:
    """Yield how far the drug is in each use and region."""
    for row in rows:
        about = _about(stem, row, "stages")
        yield replace(
            about,
            predicate=Predicate.IN_STAGE,
            object=row["stage"],
            unit=row["state"],
            qualifiers=Qualifiers(
                region=row["region"], indication=row["indication"], population=row["reason"]
            ),
            as_of=row["year"] or about.as_of,
        )


def _ends(stem: Fact, rows: Sequence[Row]) -> Iterator[Fact]:
    """Yield what is over: of one use or of all, in one region or everywhere."""
    for row in rows:
        yield replace(
            _about(stem, row, "ends"),
            predicate=Predicate.ENDED,
            object=row["kind"],
            unit=row["ended_on"],
            qualifiers=Qualifiers(
                region=row["region"],
                indication=row["indication"],
                population=row["reason"],
                time_point=row["into"],
            ),
        )


def _results(stem: Fact, rows: Sequence[Row]) -> Iterator[Fact]:
    """Yield the figures that a curator read in a label's own studies."""
    for row in rows:
        against = ": ".join(filter(None, (row["comparator"], _with_unit(row))))
        yield replace(
            _about(stem, row, "results"),
            predicate=Predicate.LABEL_RESULT,
            object=row["endpoint"],
            value=float(row["value"]),
            unit=row["unit"],
            qualifiers=Qualifiers(
                indication=row["indication"],
                arm=against,
                n=row["n"],
                interval=row["interval"],
                time_point=row["time_point"],
                population="; ".join(
                    filter(None, (row["indication"], row["trial"], row["population"]))
                ),
                line=read_line(row["population"]),
                biomarker=read_biomarker(row["population"]),
            ),
        )


def _with_unit(row: Row) -> str:
    return f"{row['comparator_value']} {row['unit']}".strip() if row["comparator_value"] else ""


def _about(stem: Fact, row: Row, table: str) -> Fact:
    """Return a fact with the day and place of a row: in the source, if one was read."""
    if is_published(row):
        return replace(stem, as_of=row["as_of"], locator=row["source_locator"] or f"{table}.csv")
    return replace(stem, as_of=row["curated_on"], locator=f"{table}.csv")
