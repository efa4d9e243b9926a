"""What people know of a drug, as one record of the evidence store.

Its facts are of basis "expert" and unverified: every cell that rests on them alone is marked, and
no approval or filing ever does.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.evidence.sources.pack.files import Row
from core.evidence.sources.pack.reading import load_rows
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record
from core.records.names import fold_name
from core.vocabulary.predicates import Predicate

SOURCE = "pack"
ORIGIN = "starter pack"
LICENCE = "starter pack of this product: the curators' own knowledge, not confirmed"
CONFIDENCE = 50
DETAIL = -1
"""Less than any copy of a source itself."""
_TABLES = ("drug_names", "company_roles", "stages")


def own_records() -> Iterator[Parsed]:
    """Yield one record for each drug that the pack names."""
    drugs: dict[str, list[Row]] = defaultdict(list)
    for row in load_rows("drugs"):
        drugs[row["drug"]].append(row)
    others = {name: _by_drug(load_rows(name)) for name in _TABLES}
    for drug, rows in drugs.items():
        yield describe_drug(drug, rows, {name: found[drug] for name, found in others.items()})


def _by_drug(rows: Sequence[Row]) -> Mapping[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["drug"]].append(row)
    return found


def describe_drug(drug: str, rows: Sequence[Row], others: Mapping[str, Sequence[Row]]) -> Parsed:
    """Return the record of a drug.

    Args:
        drug: Its name.
        rows: Its rows of the table of drugs.
        others: Its rows of the tables of names, companies' roles and stages.
    """
    area = rows[0]["area"]
    every = [*rows, *(row for found in others.values() for row in found)]
    record = Record(
        source=SOURCE,
        source_id=fold_name(drug),
        url="",
        kind="database_record",
        title=f"Starter pack: {drug} ({rows[0]['mechanism']})",
        updated_on=max(row["curated_on"] for row in every),
        licence=LICENCE,
        quote_allowed=True,
        origin=ORIGIN,
        raw_ref=f"drugs/{area}.csv",
        detail=DETAIL,
        mentions=tuple(_mentions(drug, rows, others)),
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
    facts = (*_drug_facts(stem, rows), *_other_facts(stem, others))
    return Parsed(record, tuple(facts))


def _mentions(drug: str, rows: Sequence[Row], others: Mapping[str, Sequence[Row]]) -> list[Mention]:
    companies = [row["originator"] for row in rows if row["originator"]]
    companies += [row["company"] for row in others["company_roles"]]
    return [
        Mention("drug", drug, "investigational", "asset"),
        *(
            Mention("drug", row["name"], "investigational", "synonym")
            for row in others["drug_names"]
        ),
        *(Mention("company", one, relation="pipeline") for one in dict.fromkeys(companies)),
        *(
            Mention("disease", one, relation="indication")
            for one in dict.fromkeys(row["indication"] for row in others["stages"])
        ),
    ]


def _drug_facts(stem: Fact, rows: Sequence[Row]) -> Iterator[Fact]:
    for row in rows:
        about = replace(stem, as_of=row["curated_on"], locator=f"drugs/{row['area']}.csv")
        for predicate, words in (
            (Predicate.ACTS_ON, row["mechanism"]),
            (Predicate.HAS_MODALITY, row["modality"]),
            (Predicate.ORIGINATED_BY, row["originator"]),
        ):
            if words:
                yield replace(about, predicate=predicate, object=words)


def _other_facts(stem: Fact, others: Mapping[str, Sequence[Row]]) -> Iterator[Fact]:
    for row in others["drug_names"]:
        yield replace(
            _about(stem, row, "drug_names"), predicate=Predicate.HAS_ALIAS, object=row["name"]
        )
    for row in others["company_roles"]:
        yield replace(
            _about(stem, row, "company_roles"),
            predicate=Predicate.HAS_ROLE,
            object=row["company"],
            unit=row["role"],
            qualifiers=Qualifiers(region=row["territory"], time_point=_span(row)),
        )
    for row in others["stages"]:
        yield replace(
            _about(stem, row, "stages"),
            predicate=Predicate.IN_STAGE,
            object=row["stage"],
            unit=row["state"],
            qualifiers=Qualifiers(
                region=row["region"], indication=row["indication"], population=row["reason"]
            ),
            as_of=row["year"] or row["curated_on"],
        )


def _about(stem: Fact, row: Row, table: str) -> Fact:
    return replace(stem, as_of=row["curated_on"], locator=f"{table}/{row['area']}.csv")


def _span(row: Row) -> str:
    return f"{row['from_on']} to {row['to_on']}".strip() if row["from_on"] or row["to_on"] else ""
