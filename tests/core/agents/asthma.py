"""Names and trials of invented drugs in asthma, from which agents' small packs are made."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.records.evidence import Fact, Mention, Parsed, Record
from core.records.identity import Entity, EntityName
from core.records.names import fold_name

ACME = "CIK:0000000001"


def asthma_names(drugs: Sequence[str]) -> Iterator[Entity | EntityName]:
    """Yield the names of drugs, of their disease and of the company Acme Bio."""
    for number, name in enumerate(drugs, start=1):
        yield Entity("drug", f"UNII:{number}", name)
        yield EntityName("drug", fold_name(name), f"UNII:{number}", 1, name)
    yield Entity("disease", "MONDO:1", "asthma")
    yield EntityName("disease", "asthma", "MONDO:1", 1, "asthma")
    yield Entity("company", ACME, "ACME BIO INC")
    for name, level in (("ACME BIO INC", 1), ("ACME BIO", 2), ("ACMB", 3)):
        yield EntityName("company", fold_name(name), ACME, level, name)


def asthma_trial(
    number: int, drug: str, sponsor: str, *, updated_on: str, title: str = "", **facts: str
) -> Parsed:
    """Return a trial of a company that tests a drug in asthma, with its facts by predicate."""
    record = Record(
        *("ctgov", f"NCT{number:08d}", f"https://clinicaltrials.gov/study/NCT{number:08d}"),
        *("trial_registration", title or f"{drug} in asthma"),
        updated_on=updated_on,
        mentions=(
            Mention("drug", drug, "investigational"),
            Mention("company", sponsor, relation="sponsor"),
            Mention("disease", "asthma", relation="condition"),
        ),
    )
    stem = Fact(record.id, record.source_id, "trial_phase", as_of=updated_on)
    return Parsed(record, tuple(replace(stem, predicate=k, object=v) for k, v in facts.items()))
