"""Approved drugs whose label states a wider, the same or a narrower use than the question."""

from dataclasses import replace

import pytest

from core.agents.competitive_landscaping.columns import DRUGS
from core.briefs.columns import show_rows
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record, Span
from tests.core.agents.competitive_landscaping.drugs import Study, drug

NSCLC, LUNG = "non-small cell lung cancer", "lung cancer"


def approval(name: str, use: str, source: str = "label") -> Parsed:
    """Return a label, or the entry of a list of medicines, that states one use."""
    record_id = f"{source}:{name}"
    said = {"label": {"approved_label": "yes"}, "ema": {"marketing_status": "authorised"}}[source]
    facts = [
        Fact(record_id, name, predicate, words, as_of="2026-01-01")
        for predicate, words in {**said, "indicated_for": use}.items()
    ]
    record = Record(
        source=source,
        source_id=name,
        url="",
        kind="regulatory_label" if source == "label" else "regulatory_notice",
        title=f"{source}: {name}",
        updated_on="2026-01-01",
        mentions=(Mention("drug", name, relation="ingredient"),),
    )
    return Parsed(record, tuple(facts))


@pytest.mark.parametrize("source", ["label", "ema"])
@pytest.mark.parametrize("query", ["PD-1/VEGF bispecifics in NSCLC", "NSCLC"])
@pytest.mark.parametrize(
    ("use", "stage", "match"),
    [
        (NSCLC, "APPROVED", "same"),
        (LUNG, "APPROVED", "wider"),
        ("cancer", "PHASE1", ""),  # three steps up, above solid tumor: too general to count
        ("gastric cancer", "PHASE1", ""),
    ],
)
def test_an_approved_use_counts_as_it_stands_to_the_question(
    landscape, query, source, use, stage, match
) -> None:
    landscape.drugs = [drug("alphamab", Study(1, phase="PHASE1"))]
    landscape.further = [approval("alphamab", use, source)]
    row = landscape.run(query, query_type="clinical").drugs[0]
    assert (row.stage, row.match, row.label_use) == (stage, match, use if match else "")


@pytest.mark.parametrize("source", ["label", "ema"])
def test_a_drug_with_no_trial_is_found_by_its_wider_use(landscape, source) -> None:
    landscape.drugs = []
    landscape.further = [approval("betamab", LUNG, source)]
    data = landscape.run("NSCLC", query_type="clinical")
    assert [(row.drug_name, row.stage, row.match) for row in data.drugs] == [
        ("betamab", "APPROVED", "wider")
    ]
    grid = show_rows(DRUGS, ["stage"], data.drugs)
    assert grid == [{"Stage": "Approved; listed use is wider: lung cancer"}]
    assert any(one.startswith("wider_use: 1 drug is approved") for one in data.warnings)
    assert "is approved; its listed use is broader: lung cancer" in data.pipeline_summary


def test_a_use_of_a_kind_of_the_disease_is_narrower(landscape) -> None:
    landscape.drugs = [drug("alphamab", Study(1, phase="PHASE1"))]
    landscape.further = [approval("alphamab", NSCLC)]
    row = landscape.run("PD-1/VEGF bispecifics in lung cancer", query_type="clinical").drugs[0]
    assert (row.stage, row.match, row.label_use) == ("APPROVED", "narrower", NSCLC)


def test_a_trial_of_a_wider_disease_still_does_not_count(landscape) -> None:
    landscape.drugs = [drug("alphamab", Study(1, disease="Lung Cancer"))]
    data = landscape.run("PD-1/VEGF bispecifics in NSCLC", query_type="clinical")
    assert data.drugs == []


def test_other_conditions_of_the_question_still_apply(landscape) -> None:
    landscape.drugs = []
    landscape.further = [approval("betamab", LUNG)]
    data = landscape.run("small molecules in NSCLC", query_type="clinical")
    assert data.drugs == []


def test_a_use_that_is_read_from_a_text_is_shown_in_its_sentence(landscape) -> None:
    text = "Betamab is indicated for adults with lung cancer after chemotherapy. Limited data."
    label = approval("betamab", LUNG)
    landscape.drugs = [drug("betamab", Study(1, phase="PHASE1"))]
    landscape.further = [
        replace(
            label,
            record=replace(
                label.record, spans=(Span("indications_and_usage", text, 0, len(text)),)
            ),
            facts=tuple(one for one in label.facts if one.predicate != "indicated_for"),
        )
    ]
    row = landscape.run("PD-1/VEGF bispecifics in NSCLC", query_type="clinical").drugs[0]
    assert row.match == "wider"
    assert row.label_use == "Betamab is indicated for adults with lung cancer after chemotherapy"


def test_the_first_approval_is_told_of_the_drug(landscape) -> None:
    """A register's day may be that of another use, so that only a record with the use dates it."""
    landscape.drugs = []
    days = {
        ("alphamab", "ema"): "2019-07-02",
        ("alphamab", "drugsfda"): "2018-12-21",
        ("betamab", "ema"): "2021-06-01",
    }
    landscape.further = [approved_on(name, source, day) for (name, source), day in days.items()]
    data = landscape.run("NSCLC", query_type="clinical")
    text = data.pipeline_summary
    assert "alphamab is approved in non-small cell lung cancer (FDA, EMA 2019-07-02)" in text
    assert "2018-12-21" not in text
    assert "betamab is approved in non-small cell lung cancer (EMA 2021-06-01)" in text
    assert not [one for one in data.warnings if one.startswith("claims_dropped")]


def approved_on(name: str, source: str, day: str) -> Parsed:
    """Return a register's entry with the day; that of EMA alone states a use."""
    region = {"ema": "EMA", "drugsfda": "FDA"}[source]
    parsed = approval(name, NSCLC, "ema")
    record = replace(parsed.record, source=source)
    dated = Fact(
        record.id, name, "approved_on", day, as_of="2026-01-01", qualifiers=Qualifiers(region)
    )
    stated = [replace(one, record_id=record.id) for one in parsed.facts]
    if source == "drugsfda":
        stated = [replace(stated[0], predicate="application_type", object="BLA")]
    return Parsed(record, (*stated, dated))
