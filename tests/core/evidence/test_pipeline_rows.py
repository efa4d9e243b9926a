"""A company's pipeline tells the highest stage of what it lists, and no more."""

from core.records.evidence import Fact, Mention, Qualifiers, Record
from core.records.evidence_pack import StoredFact
from tools.curation.trial_rows import OF_LISTED, Held, pipeline_rows


def asset(*said: Fact) -> Held:
    """Return the record of an asset."""
    mentions = (Mention("drug", "DRG-1", "investigational", "asset"),)
    record = Record(
        source="pipeline",
        source_id="acme:drg1",
        url="",
        kind="company_disclosure",
        title="Acme pipeline: DRG-1",
        mentions=mentions,
    )
    return Held(record, mentions, [StoredFact(number, 1, one) for number, one in enumerate(said)])


def fact(predicate: str, words: str, indication: str = "") -> Fact:
    """Return what a pipeline says of its asset."""
    told = Qualifiers(indication=indication)
    return Fact("pipeline:acme:drg1", "DRG-1", predicate, words, qualifiers=told)


def test_the_highest_stage_is_said_to_be_that_of_the_programs_listed() -> None:
    held = asset(fact("highest_stage", "PHASE3"), fact("in_stage", "PHASE3", "gout"))
    (row,) = pipeline_rows("drugoxib", held)
    assert (row["stage"], row["highest"], row["note"]) == ("PHASE3", "PHASE3", OF_LISTED)


def test_nothing_is_said_of_a_stage_that_is_not_told() -> None:
    (row,) = pipeline_rows("drugoxib", asset(fact("in_stage", "PHASE1", "gout")))
    assert (row["highest"], row["note"]) == ("", "")
