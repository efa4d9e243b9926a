"""The first answer is right: exclusions, regulators, spans of time, approvals, dates, deals.

The expectations of deals, target dates and approvals are read from the reference folders by this
module alone, not through the product's readers.
"""

import csv
import gzip
import random
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from core.briefs.developments.question import Fields, read_fields
from core.briefs.entities.identifying import Library
from core.briefs.entities.today import read_today
from core.evidence.sources.pack.reading import load_rows
from core.vocabulary.event_types import EventType
from core.vocabulary.time_spans import Span, take_span
from tests.rows import over_rows

NOW = datetime(2026, 11, 23, tzinfo=UTC)
pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("starter")]
Ask = Callable[..., Any]


@over_rows(
    ("query", "excluded", "shown", "absent"),
    [
        ("anti-CD38 outside multiple myeloma", "multiple myeloma", {"felzartamab"}, set()),
        ("anti-CD38 antibodies except in multiple myeloma", "multiple myeloma",
         {"felzartamab", "mezagitamab"}, set()),
        ("CD38 antibodies, excluding multiple myeloma", "multiple myeloma",
         {"mezagitamab"}, set()),
        ("BTK inhibitors outside oncology", "cancer", {"remibrutinib"}, {"zanubrutinib"}),
        ("CD19 CAR-T beyond oncology", "cancer", set(), {"axicabtagene ciloleucel"}),
        ("IL-17 antibodies not in psoriasis", "psoriasis", {"secukinumab"}, {"xeligekimab"}),
        ("BTK inhibitors not for chronic lymphocytic leukemia",
         "chronic lymphocytic leukemia", {"remibrutinib"}, set()),
    ],
)  # fmt: skip
def test_an_excluded_disease_is_never_what_is_shown(ask, query, excluded, shown, absent) -> None:
    data = ask("competitive-landscaping", query=query)
    assert data.parsed_query.not_indications == [excluded]
    assert data.parsed_query.indications == []
    names = {drug.drug_name for drug in data.drugs}
    assert shown <= names
    assert not absent & names
    assert not [drug for drug in data.drugs if excluded in drug.indication.split("; ")]


@over_rows(
    ("query", "shown", "absent"),
    [
        ("growth hormone receptor antagonists", "pegvisomant", "somatropin"),
        ("glucagon receptor antagonists", "volagidemab", "mazdutide"),
        ("mu opioid receptor agonists", "oliceridine", "naloxegol"),
        ("GLP-1 receptor agonists in obesity", "semaglutide", ""),
        ("LAG-3", "relatlimab", "nivolumab"),
        ("RAS blockers in hypertension", "losartan", ""),
        ("SERDs", "fulvestrant", "estradiol"),
        ("estrogen receptor degraders in breast cancer", "elacestrant", "tamoxifen"),
        ("psychedelics for depression", "lysergide", "mirtazapine"),
        ("amylin analogs", "pramlintide", "atogepant"),
        ("TYK2", "deucravacitinib", "baricitinib"),
        ("essential thrombocythemia", "anagrelide", "fedratinib"),
        ("androgen receptor in contraception", "trestolone", "levonorgestrel"),
        ("Eli Lilly biologics", "donanemab", "orforglipron"),
        ("NaV1.8", "suzetrigine", "cocaine"),
        ("PDE4", "roflumilast", "dipyridamole"),
        ("beta blockers in heart failure", "carvedilol", "dobutamine"),
        ("opioid-free pain drugs", "suzetrigine", "hydrocodone"),
    ],
)
def test_a_drug_of_the_opposite_mechanism_is_not_shown(ask, query, shown, absent) -> None:
    names = {drug.drug_name for drug in ask("competitive-landscaping", query=query).drugs}
    assert shown in names
    assert absent not in names


def told_by(data: Any) -> list[str]:
    """Return the sentences of a landscape."""
    return [claim.text for section in data.memo for claim in section.claims]


def test_counts_of_approved_drugs_add_up_and_extensions_date_no_readout(ask) -> None:
    texts = told_by(ask("competitive-landscaping", query="B-cell acute lymphoblastic leukemia"))
    (named,) = [text for text in texts if text.startswith("Approved: ")]
    shown, _, others = named.partition("[")[0].partition(";")
    n_others = sum(map(int, re.findall(r"\d+", others)))
    counted = re.search(r"(\d+) approved", " ".join(texts))
    assert counted
    assert len(shown.split(", ")) + n_others == int(counted[1])
    dystrophy = " ".join(told_by(ask("competitive-landscaping", query="myotonic dystrophy type 1")))
    assert (
        "delpacibart etedesiran (Novartis) is phase 3 in myotonic dystrophy type 1 [" in dystrophy
    )


def test_a_scan_keeps_to_the_biomarker_and_tells_a_takeover_once(ask) -> None:
    scan = ask("new-developments", query="HER2-positive breast cancer", lookback_days=365)
    titles = " ".join(row.title for row in scan.catalysts)
    assert "camizestrant" not in titles
    assert "gedatolisib" not in titles
    assert any("HER2-positive" in warning for warning in scan.warnings)
    steatohepatitis = "metabolic dysfunction-associated steatohepatitis"
    deals = ask("new-developments", query=steatohepatitis, lookback_days=365).catalysts
    assert len([row for row in deals if "Terns" in row.title]) == 1


def test_a_negated_name_of_a_disease_excludes_nothing(ask) -> None:
    data = ask("competitive-landscaping", query="non-small cell lung cancer EGFR TKIs")
    assert data.parsed_query.indications == ["non-small cell lung cancer"]
    assert data.parsed_query.not_indications == []


@over_rows(
    ("text", "span", "rest"),
    [
        ("FDA approvals last 60 days", Span(date(2026, 9, 24), date(2026, 11, 23)),
         "FDA approvals"),
        ("licenses in the past two weeks", Span(date(2026, 11, 9), date(2026, 11, 23)),
         "licenses"),
        ("decisions next 6 months", Span(date(2026, 11, 23), date(2027, 5, 25)), "decisions"),
        ("EMA approvals in Q4 2025", Span(date(2025, 10, 1), date(2025, 12, 31)),
         "EMA approvals"),
        ("deals since 2025-06", Span(date(2025, 6, 1), date(2026, 11, 23)), "deals"),
        ("approvals 2025", Span(date(2025, 1, 1), date(2025, 12, 31)), "approvals"),
        ("last-line therapy in NCT20250001", None, "last-line therapy in NCT20250001"),
    ],
)  # fmt: skip
def test_a_span_of_time_is_read(text, span, rest) -> None:
    assert take_span(text, NOW.date()) == (span, rest)


@over_rows(
    ("text", "wanted", "unwanted"),
    [
        ("FDA approvals", ("FDA",), ()),
        ("approvals in Europe or Japan", ("EMA", "PMDA"), ()),
        ("approvals outside the US", (), ("FDA",)),
        ("non-FDA decisions", (), ("FDA",)),
        ("approvals for us", (), ()),
    ],
)
def test_a_regulator_is_read(context, text, wanted, unwanted) -> None:
    asked = read_fields(Fields(text), context.evidence, context.resolver, NOW.date())
    assert (asked.regulators, asked.not_regulators) == (wanted, unwanted)
    assert not [warning for warning in asked.warnings if not warning.startswith("filtered: ")]


@over_rows(
    ("query", "types", "regions", "first", "last"),
    [
        ("FDA approvals last 90 days", {"original_approval"}, {"FDA"}, "2026-08-25", "2026-11-23"),
        ("EMA approvals 2026", {"original_approval"}, {"EMA"}, "2026-01-01", "2026-11-23"),
        ("approvals outside the US in 2026", {"original_approval"}, {"EMA"}, "2026-01-01",
         "2026-11-23"),
        ("China NMPA approvals 2026", set(), set(), "2026-01-01", "2026-11-23"),
        ("licenses since 2026-06", {"license"}, None, "2026-06-01", "2026-11-23"),
    ],
)  # fmt: skip
def test_a_scan_keeps_to_what_its_question_names(ask, query, types, regions, first, last) -> None:
    data = ask("new-developments", query=query, lookback_days=365)
    assert {event.event_type for event in data.catalysts} <= types
    assert bool(data.catalysts) == bool(types)
    assert regions is None or {event.region for event in data.catalysts} == regions
    assert all(
        first <= event.date.ljust(10, "9") and event.date <= last for event in data.catalysts
    )
    assert data.filters.window_end_on == last
    assert [warning for warning in data.warnings if warning.startswith("filtered: ")]


def test_decisions_ahead_are_target_dates_within_the_span(ask) -> None:
    data = ask("new-developments", query="PDUFA dates next 6 months", lookback_days=60)
    assert len(data.upcoming) >= 10
    assert {event.event_type for event in data.upcoming} == {"decision_expected"}
    assert all("2026-11-23" < event.date <= "2027-05-25" for event in data.upcoming)


def read_reference(reference: Path, folder: str, name: str) -> list[dict[str, str]]:
    path = reference.parent / "deals_dates_arms" / folder / f"{name}.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as text:
        return list(csv.DictReader(text))


def test_target_dates_are_the_next_event_or_past_due(ask, reference) -> None:
    """Of open dates of the reference whose drug the pack has, by rule: all after its last day."""
    held = {row["due_on"]: row["drug"] for row in load_rows("fda_dates") if row["due_on"]}
    rows = read_reference(reference, "fda_target_dates", "target_dates")
    open_rows = [row for row in rows if not row["decision"] and row["target_date"] >= "2026-10-06"]
    listed = [row for row in open_rows if row["target_date"] in held]
    assert len(listed) >= 0.95 * len(open_rows)
    for company, drug, day, is_late in (
        ("Summit Therapeutics", "ivonescimab", "2026-11-14", True),
        ("Cogent Biosciences", "bezuclastinib", "2026-11-30", False),
        ("Vertex", "povetacicept", "2026-11-30", False),
    ):
        data = ask("company-asset-searcher", company=company)
        sentence = next(claim.text for claim in data.claims if claim.text.startswith("Next cat"))
        assert drug in sentence
        assert f"FDA target action date {day}" in sentence
        assert ("overdue" in sentence) == is_late


def test_no_formula_dates_the_next_event(ask) -> None:
    for company in ("Pfizer", "Roche", "Jiangsu Hengrui"):
        data = ask("company-asset-searcher", company=company)
        catalysts = [drug.next_catalyst for drug in data.drugs]
        typical = [catalyst for catalyst in catalysts if "typical time" in catalyst.rationale]
        assert typical
        assert all(catalyst.date == "TBD" for catalyst in typical)
        assert not [catalyst for catalyst in typical if "decision" in catalyst.event]
        assert not [catalyst for catalyst in catalysts if catalyst.date_confidence == "window"]


def test_novel_approvals_of_the_reference_are_approvals_of_the_pack(ask, reference) -> None:
    """Drawn by seed among the approvals of 2025 and 2026 whose drug the pack knows."""
    rows = read_reference(reference, "fda_novel_approvals", "novel_approvals")
    known = {row["brand"].casefold(): row for row in load_rows("fda_dates") if row["brand"]}
    recent = [row for row in rows if row["approved_on"] >= "2025"]
    listed = [row for row in recent if row["brand"].casefold() in known]
    assert len(listed) >= 0.75 * len(recent)
    for row in random.Random(20_261_123).sample(listed, 12):
        drug = known[row["brand"].casefold()]["drug"]
        data = ask("competitive-landscaping", query=drug)
        shown = {one.drug_name: one for one in data.drugs}
        stages = {one.stage for one in shown.values()}
        assert "APPROVED" in stages, row["brand"]
        days = " ".join(str(one.approved_in) for one in shown.values())
        assert row["approved_on"] in days, row["brand"]


@over_rows(
    ("query", "drug", "region"),
    [
        ("PD-1 antibodies in hepatocellular carcinoma", "camrelizumab", "NMPA"),
        ("PD-1 antibodies in hepatocellular carcinoma", "sintilimab", "NMPA"),
        ("HER2 breast cancer TKI", "pyrotinib", "NMPA"),
        ("CD20 antibodies in DLBCL", "ripertamab", "NMPA"),
        ("IL-4R antibodies in atopic dermatitis", "stapokibart", "NMPA"),
    ],
)
def test_an_approval_of_one_region_alone_is_an_approval(ask, query, drug, region) -> None:
    data = ask("competitive-landscaping", query=query)
    row = next(one for one in data.drugs if one.drug_name == drug)
    assert row.stage == "APPROVED"
    assert region in row.approved_in


def test_who_leads_is_said_with_agency_and_day(ask) -> None:
    data = ask("competitive-landscaping", query="PD-1/VEGF bispecifics in NSCLC")
    lead = next(section for section in data.memo if section.title == "Who is ahead")
    assert "(NMPA 2024)" in lead.claims[0].text


def test_programs_of_a_disease_that_trials_call_otherwise_count(ask) -> None:
    data = ask("competitive-landscaping", query="nectin-4 ADC in bladder cancer")
    names = {drug.drug_name for drug in data.drugs}
    assert {"enfortumab vedotin", "bulumtatug fuvedotin", "zelenectide pevedotin"} <= names


def test_deals_of_the_reference_have_type_parties_and_day(reference) -> None:
    """All licenses of the reference whose asset the pack names: licensor, licensee and day."""
    rows = read_reference(reference, "deals_china_outlicensing", "deals")
    held = {
        deal["source_locator"].removeprefix("row "): deal
        for deal in load_rows("deals")
        if deal["source_locator"].startswith("row ")
    }
    listed = [row for row in rows if row["id"] in held]
    assert len(listed) > 140
    types = {"license": "license", "option": "option", "acquisition": "acquisition"}
    for row in listed:
        deal = held[row["id"]]
        assert types.get(row["structure"], deal["type"]) == deal["type"]
        assert row["announced_on"].startswith(deal["day"])
        assert deal["licensor"].split(" (")[0] in row["licensor"]
        assert deal["licensee"].split(" (")[0] in row["licensee"]
        assert deal["licensor"] != deal["licensee"]
        assert deal["upfront"] in ("", row["upfront_usd_m"])


def test_home_shows_the_newest_approvals_and_the_target_dates_ahead(starter, names) -> None:
    view = read_today("", Library(starter.evidence, names, NOW.date()))
    decisions = [event for event in view.ahead if event.type == EventType.DECISION_EXPECTED]
    assert len(decisions) >= 10
    assert view.strip is not None
    drawn = [row["kind"] for row in next(iter(view.strip.spec["datasets"].values()))]
    assert drawn.count("FDA target date") >= 10
    approvals = [event.day for event in view.recent["Approvals"]]
    assert min(approvals) >= "2026-09"


def test_new_medicines_lead_and_those_of_decades_follow(ask) -> None:
    data = ask("competitive-landscaping", query="atrial fibrillation", query_type="clinical")
    standing = {drug.drug_name: drug.standing for drug in data.drugs}
    assert standing["apixaban"] == "under way"
    assert standing["bisoprolol"] == standing["digoxin"] == "established"
    named = next(
        claim.text
        for section in data.memo
        for claim in section.claims
        if "edoxaban" in claim.text and "apixaban" in claim.text
    )
    assert named.index("edoxaban") < named.index("dabigatran")
    assert "digoxin" not in named


def test_an_old_drug_in_a_new_use_is_under_way(ask) -> None:
    data = ask("competitive-landscaping", query="IgA nephropathy")
    [budesonide] = [drug for drug in data.drugs if drug.drug_name == "budesonide"]
    assert budesonide.standing == "under way"


def test_what_acts_on_the_other_end_of_an_axis_is_counted(ask) -> None:
    data = ask("competitive-landscaping", query="IL-13 receptor alpha 1 in atopic dermatitis")
    counted = next(
        claim.text for section in data.memo for claim in section.claims if "listed" in claim.text
    )
    assert "acting on IL-13:" in counted


def test_what_is_not_yet_approved_is_so_as_a_whole(ask) -> None:
    for query, gone in (
        ("TROP2 ADCs not yet approved", "sacituzumab govitecan"),
        ("IL-17 inhibitors not approved in psoriasis", "ixekizumab"),
        ("drugs approved for both psoriasis and Crohn disease", "icotrokinra"),
        ("IL-23 inhibitors approved for ulcerative colitis but not Crohn disease", "mirikizumab"),
    ):
        names = {drug.drug_name for drug in ask("competitive-landscaping", query=query).drugs}
        assert gone not in names, query


def test_days_of_approval_are_those_of_the_disease_named(ask) -> None:
    query = "drugs approved for both psoriasis and Crohn disease"
    claims = [
        x.text
        for section in ask("competitive-landscaping", query=query).memo
        for x in section.claims
    ]
    [stated] = [
        text for text in claims if text.startswith("risankizumab") and "is approved" in text
    ]
    assert ("Crohn" in stated) != ("2019" in stated)


def test_companies_joined_by_and_are_one_side_of_their_deals(ask) -> None:
    query = "Which deals did Roche and Novartis sign with Chinese companies?"
    data = ask("new-developments", query=query, lookback_days=365)
    titles = [event.title for event in data.catalysts]
    assert [title for title in titles if "Roche" in title and "Novartis" not in title]


def test_whoever_asks_for_a_target_date_is_told_of_the_decision(ask) -> None:
    data = ask("new-developments", query="atacicept PDUFA", lookback_days=365)
    assert [event for event in data.catalysts if event.title.startswith("FDA approval")]
    ahead = ask("new-developments", query="Upcoming PDUFA dates in oncology", lookback_days=365)
    assert ahead.claims[0].text.startswith("Ahead")


def test_an_extension_is_no_readout(ask) -> None:
    data = ask("company-asset-searcher", company="Gossamer Bio")
    ahead = str([drug.next_catalyst for drug in data.drugs])
    assert "NCT07181382" in ahead
    assert "NCT06274801" not in ahead


@pytest.mark.parametrize(
    ("disease", "drug"),
    [
        ("hepatocellular carcinoma", "tislelizumab"),
        ("renal cell carcinoma", "pembrolizumab"),
        ("Huntington disease", "deutetrabenazine"),
    ],
)
def test_a_decision_on_one_of_several_uses_is_no_news_of_each(ask, disease, drug) -> None:
    data = ask("new-developments", query=disease, lookback_days=365)
    decisions = [event for event in data.catalysts if event.catalyst_type == "regulatory"]
    assert not [event for event in decisions if drug in event.title and event.is_through_uses]
    every = ask("new-developments", query=drug, lookback_days=365)
    assert [event for event in every.catalysts if drug in event.title]


def test_what_another_company_holds_is_not_told_as_the_own_stage(ask) -> None:
    data = ask("company-asset-searcher", company="Roche", drugdb_limit=150)
    passed_on = {drug.name for drug in data.drugs if drug.origin == "licensed-out"}
    assert passed_on
    told = " ".join(claim.text for claim in data.claims)
    assert not [name for name in passed_on if name in told]


@over_rows(
    ("company", "drug"),
    [("Eli Lilly", "atomoxetine"), ("Pfizer", "reboxetine"), ("Novartis", "octreotide")],
)
def test_a_decision_that_a_stranger_waits_for_is_no_next_event(ask, company, drug) -> None:
    told = [claim.text for claim in ask("company-asset-searcher", company=company).claims]
    assert [text for text in told if text.startswith("Next catalyst: ")]
    assert not [text for text in told if text.startswith(f"Next catalyst: {drug}")]


def test_a_part_of_a_field_has_no_white_space_and_no_concentration(ask) -> None:
    stopped = ask("competitive-landscaping", query="discontinued Alzheimer disease drugs")
    assert stopped.white_space == []
    own = ask("competitive-landscaping", query="Eli Lilly in obesity")
    assert own.drugs
    assert own.concentration.hhi is None


def test_an_acquired_company_is_told_beside_the_one_that_has_it(ask) -> None:
    lead = ask("company-asset-searcher", company="Genentech").claims[0].text
    assert "Genentech" in lead
    assert "Roche" in lead
