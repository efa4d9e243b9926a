"""What agents say on a new instance: the words that the starter pack holds are those they read."""

import random
from datetime import UTC, datetime
from typing import get_args

import pytest

from core.agents.competitive_landscaping.pipeline import run
from core.agents.competitive_landscaping.schema import (
    CompetitiveLandscapingRequest,
)
from core.briefs.settings import Counts, WiderUseRow, wider_uses
from core.evidence.assets.gather import gather_assets
from core.evidence.sources.pack.reading import load_rows
from core.records.asset_queries import AssetQuery
from core.records.evidence_pack import FactQuery
from core.vocabulary.endpoints import classify_endpoint, load_measures
from core.vocabulary.lines import Line, asked_by
from core.vocabulary.tables import load_rows as load_table
from tests.rows import over_rows

NOW = datetime(2026, 11, 23, tzinfo=UTC)
pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("starter")]


@pytest.fixture
def survey(context):
    """Return what gives the landscape of a query on the starter pack."""
    return lambda query, **fields: run(
        CompetitiveLandscapingRequest(query=query, **fields), context
    )


def test_commonest_endpoint_of_the_trials_is_shown(survey) -> None:
    data = survey("HER2 in breast cancer", query_type="clinical")
    shown = data.indication_specific_results.clinical_endpoints
    primary = {one.endpoint: one.n_trials for one in shown if one.role == "primary"}
    assert primary["response rate"] == max(primary.values())


def test_every_endpoint_word_of_the_pack_is_a_class_of_the_landscape() -> None:
    known = {one.name for one in load_measures()}
    held = {word for row in load_rows("trials") for word in row["endpoints"].split("|")}
    assert all(classify_endpoint(word) for word in held & known)


def test_every_line_of_the_pack_is_one_that_questions_ask_for(starter) -> None:
    ids = [f"{row['source_id']}" for row in load_rows("labels") if row["line"]]
    said = starter.evidence.facts(FactQuery(record_ids=ids, predicates=("indicated_for",)))
    assert {row["line"] for row in load_rows("labels")} <= {"", *Line}
    assert {asked_by(one.fact.qualifiers.line) for one in said} >= {"1L", "2L", "3L"}
    assert all(asked_by(one.fact.qualifiers.line) for one in said)


def test_every_use_that_a_label_of_the_pack_states_is_a_program(starter, names) -> None:
    rows = [row for row in load_rows("labels") if row["indications"] and row["applications"]]
    for row in random.Random(20_261_123).sample(rows, 25):
        drug = names.resolve_many("drug", [row["drug"]])[row["drug"]]
        query = AssetQuery(drug_keys=(drug.key,), figures=False)
        assets = gather_assets(query, starter.evidence, names, NOW.date()).assets
        held = {program.indication for one in assets for program in one.programs}
        stated = names.resolve_many("disease", row["indications"].split("|"))
        assert {one.label or said for said, one in stated.items()} <= held, row["drug"]


def test_target_dates_are_told_as_due_or_overdue(survey) -> None:
    today = NOW.date().isoformat()
    rows = [
        row
        for row in load_rows("fda_dates")
        if "2025-12" <= row["due_on"] <= "2027-11" and not row["outcome"] and row["diseases"]
    ]
    late = [row for row in rows if row["due_on"] < today]
    chance = random.Random(20_261_127)
    for row in (*chance.sample(late, 3), *chance.sample(rows, 5)):
        data = survey(f"{row['drug']} in {row['diseases'].split('|')[0]}")
        told = [claim.text for section in data.memo for claim in section.claims]
        dated = [text for text in told if row["due_on"] in text and "target action date" in text]
        assert dated, row["drug"]
        assert dated[0].startswith("Overdue") == (row["due_on"] < today)
    assert all(one.event_type != "decision_expected" for one in data.recent)


def shown(survey, query: str) -> list[str]:
    """Return the drugs of a landscape, by rank."""
    return [one.drug_name for one in survey(query, query_type="clinical").drugs]


@pytest.mark.parametrize(
    ("query", "indication", "approved"),
    [
        (
            "FcRn blockers",
            "generalized myasthenia gravis",
            {"efgartigimod alfa", "nipocalimab", "rozanolixizumab"},
        ),
        ("C5 inhibitors for gMG", None, {"eculizumab", "ravulizumab", "zilucoplan"}),
        ("ATTR cardiomyopathy", None, {"tafamidis", "acoramidis", "vutrisiran"}),
        ("geographic atrophy", None, {"pegcetacoplan", "avacincaptad pegol"}),
        ("anti-VEGF in wet AMD", None, {"aflibercept", "ranibizumab", "faricimab", "brolucizumab"}),
        (
            "severe eosinophilic asthma biologics",
            None,
            {"benralizumab", "mepolizumab", "reslizumab", "tezepelumab", "dupilumab"},
        ),
        (
            "IL-17 antibodies in plaque psoriasis",
            None,
            {"secukinumab", "ixekizumab", "bimekizumab", "brodalumab"},
        ),
        (
            "mCRPC approved drugs",
            None,
            {"abiraterone", "enzalutamide", "cabazitaxel", "olaparib"},
        ),
        ("menin inhibitors in AML", None, {"revumenib", "ziftomenib"}),
        ("nectin-4 ADC in bladder cancer", None, {"enfortumab vedotin"}),
    ],
)
def test_drugs_approved_for_a_wider_use_are_shown_as_approved(
    survey, query, indication, approved
) -> None:
    rows = survey(query, query_type="clinical", indication=indication).drugs
    assert approved <= {row.drug_name for row in rows if row.stage == "APPROVED"}
    assert all(row.label_use for row in rows if row.stage == "APPROVED")


def test_uses_that_only_a_foreign_register_states_are_found(survey) -> None:
    assert "secukinumab" in shown(survey, "hidradenitis suppurativa")


@pytest.mark.parametrize(
    ("question", "uses"),
    [
        ("plaque psoriasis", {"dermatitis", "inflammatory disease", "skin disease"}),
        ("pulmonary arterial hypertension", {"hypertension"}),
        ("hereditary angioedema", {"urticaria"}),
        ("AL amyloidosis", {"hypertrophic cardiomyopathy"}),
    ],
)
def test_a_general_or_unrelated_disease_is_no_wider_use(survey, question, uses) -> None:
    rows = survey(question, query_type="clinical").drugs
    assert rows
    assert not uses & {row.label_use for row in rows}


def test_names_of_the_table_of_wider_uses_are_known(names) -> None:
    rows = load_table("wider_uses", WiderUseRow)
    for counts in get_args(Counts):
        held = wider_uses(names, counts)
        assert len(held) == sum(row.counts == counts for row in rows)
        assert all(all(keys) for keys in held.values())


def test_drugs_on_the_receptor_stand_behind_those_on_the_ligand(survey) -> None:
    drugs = shown(survey, "CGRP for migraine prevention")
    assert set(drugs[:3]) == {"eptinezumab", "fremanezumab", "galcanezumab"}
    assert {"erenumab", "atogepant", "rimegepant"} <= set(drugs[3:])


def test_competitors_of_a_drug_in_a_disease_are_those_of_the_disease(survey) -> None:
    drugs = shown(survey, "who competes with Dupixent in COPD?")
    assert {"mepolizumab", "itepekimab", "tozorakimab", "ensifentrine"} <= set(drugs)


def test_solid_tumors_are_all_but_those_of_the_blood(survey) -> None:
    drugs = shown(survey, "bispecifics for solid tumors")
    assert {"zanidatamab", "tarlatamab", "amivantamab"} <= set(drugs)
    assert not {"teclistamab", "elranatamab", "glofitamab"} & set(drugs)
    assert "vorinostat" not in shown(survey, "HDAC6 inhibitors in solid tumors")


def test_an_unknown_disease_drops_the_filter_and_is_the_first_thing_said(survey) -> None:
    data = survey("KRAS inhibitors in wumpus cancer")
    assert [one.drug_name for one in data.drugs] == [
        one.drug_name for one in survey("KRAS inhibitors").drugs
    ]
    told = [one for one in data.warnings if "wumpus" in one]
    assert told[0].startswith("disease_unknown: ")
    assert data.parsed_query.unknown_indications == ["wumpus cancer"]


def test_what_a_question_refuses_is_left_out_with_the_reason(survey) -> None:
    data = survey("CD3 bispecifics excluding BCMA")
    reasons = {one.drug_name: one.reason for one in data.excluded}
    assert reasons["teclistamab"] == "acts on what the query leaves out"
    assert not any("BCMA" in one.target for one in data.drugs)


def test_a_kind_of_drug_alone_is_a_question(survey) -> None:
    drugs = shown(survey, "siRNA pipeline phase 3")
    assert "zilebesiran" in drugs


@over_rows(
    ("question", "first"),
    [("HIV", "human immunodeficiency virus infection"), ("solid tumors", "Advanced Solid Tumor")],
)
def test_conditions_as_records_write_them_are_names_of_their_disease(
    question, first, names
) -> None:
    key = names.resolve("disease", question).key
    held = {one.name for pack in names.packs for one in pack.names("disease", key)}
    assert first in held


def test_a_row_has_what_a_board_deck_asks_for(survey) -> None:
    data = survey("EGFR inhibitors in NSCLC", query_type="clinical")
    rows = {row.drug_name: row for row in data.drugs}
    osimertinib, lazertinib, erlotinib = (
        rows[name] for name in ("osimertinib", "lazertinib", "erlotinib")
    )
    assert osimertinib.brand == "Tagrisso"
    assert "FDA 2015-11-13" in osimertinib.approved_in
    # a term of the law that is past says nothing of its patents
    assert (osimertinib.protected_until, osimertinib.is_off_patent) == ("", False)
    assert erlotinib.is_off_patent
    assert (erlotinib.line, erlotinib.biomarker) == ("first line", "EGFR mutation")
    assert lazertinib.licensor == "Oscotec"
    assert "Johnson & Johnson (ex-South Korea" in lazertinib.licensee
    lines = data.program_table.frame
    assert set(lines["drug_name"]) == {*rows}
    assert not lines.duplicated(["drug_name", "indication"]).any()


@pytest.mark.parametrize(
    ("fields", "gone", "kept"),
    [
        ({"without": ["off_patent"]}, "erlotinib", "osimertinib"),
        ({"without": ["many_targets"]}, "vandetanib", "osimertinib"),
        ({"region": "PMDA"}, "icotinib", "osimertinib"),
    ],
)
def test_a_filter_leaves_drugs_out_and_tells_which(survey, fields, gone, kept) -> None:
    data = survey("EGFR inhibitors in NSCLC", query_type="clinical", **fields)
    names = {row.drug_name for row in data.drugs}
    assert kept in names
    assert gone not in names
    assert any(one.drug_name == gone and "excluded" in one.reason for one in data.excluded)


def test_the_preclinical_focus_says_that_nothing_preclinical_is_held(survey) -> None:
    query = "KRAS G12C inhibitor"
    assert [x for x in survey(query).warnings if x.startswith("no_preclinical")]
    clinical = survey(query, query_type="clinical").warnings
    assert not [x for x in clinical if x.startswith("no_preclinical")]
