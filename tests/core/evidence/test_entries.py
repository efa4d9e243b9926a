"""Entries hold what is read of a drug's records, all of it and nothing else."""

from core.evidence.entries import TERMS, Entries, approvals_of, endpoints_of
from core.records.evidence import Fact, Qualifiers
from core.records.evidence_pack import StoredFact
from core.vocabulary.predicates import Predicate, told
from tests.rows import over_rows

RECORD = "pack:one"


def entries(*facts: Fact) -> Entries:
    """Return the entries of a record with these facts."""
    return Entries({RECORD: [StoredFact(number, 1, one) for number, one in enumerate(facts, 1)]})


def fact(predicate: str, said: str, value: float | None = None, **qualifiers: str) -> Fact:
    """Return a fact of the record."""
    told_of = Qualifiers(**qualifiers)
    return Fact(RECORD, "drugoxib", predicate, said, value, qualifiers=told_of, as_of="2026-01-01")


@over_rows("predicate", Predicate)
def test_an_entry_tells_every_fact_that_is_read_of_a_record_and_no_other(predicate) -> None:
    held, empty = entries(fact(predicate, "true", 4.0)), entries()
    is_told = any(
        getattr(held, kind)(RECORD) != getattr(empty, kind)(RECORD)
        for kind in ("trial", "approval", "label", "pipeline")
    )
    assert is_told == (predicate in {*told(measured=True), *TERMS})


def test_of_several_facts_the_first_counts_and_all_terms_are_kept() -> None:
    days = [fact("approved_on", "2020-05-01", region="FDA"), fact("approved_on", "2019-01-01")]
    terms = [fact("patent_listed", one, time_point=f"{one}-01-01") for one in ("2031", "2033")]
    entry = entries(*days, *terms).approval(RECORD)
    assert entry.approved
    assert (entry.approved.text, entry.approved.region) == ("2020-05-01", "FDA")
    assert [one.time_point for one in entry.patents] == ["2031-01-01", "2033-01-01"]
    assert entry.patents[1].fact_id == 4


def test_facts_by_number_come_to_the_same_entries() -> None:
    facts = [fact("approved_on", "2020-05-01"), fact("trial_endpoint", "OS", population="primary")]
    by_number = dict(enumerate(facts, 1))
    assert approvals_of(by_number) == {RECORD: entries(*facts).approval(RECORD)}
    assert tuple(endpoints_of(by_number)[RECORD]) == entries(*facts).trial(RECORD).endpoints
