"""Leads other than drugs: each kind from an authored file in the form of its source.

Every name and number in the files is invented.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.agents.deal_sourcing.pipeline import run
from core.agents.deal_sourcing.schema import DealSourcingData, DealSourcingRequest
from core.evidence.sources.importing import find_files, import_files
from core.ports import Stores
from core.records.evidence_pack import ImportedFile
from core.registry import all_agents
from core.settings import Settings
from storage.stores import open_stores
from tests.contexts import make_context
from tests.core.agents.asthma import asthma_names, asthma_trial
from tests.core.evidence.loopback import Asked, Sent, as_json, serving

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HHS = "Department of Health and Human Services,National Institutes of Health"
AWARDS = (
    "Company,Award Title,Agency,Branch,Phase,Program,Agency Tracking Number,Contract,"
    "Proposal Award Date,Award Year,Award Amount,Abstract\n"
    f"Known Therapeutics Inc,A monoclonal antibody for asthma,{HHS},Phase II,SBIR,T1,2R44HL1,"
    "2026-11-02,2026,900000,X\n"
    f"Quiet Therapeutics Inc,A drug,{HHS},Phase I,SBIR,T2,1R43HL2,2026-10-01,2026,300000,"
    "It treats asthma in mice.\n"
    f"Spun Therapeutics Inc,A device for asthma,{HHS},Phase I,STTR,T3,1R41HL3,2026-09-01,2026,"
    "250000,X\n"
    f"Asthma Labs Inc,A chair for offices,{HHS},Phase I,SBIR,T5,1R43HL5,2026-11-01,2026,1,X\n"
    f"Genentech Inc,An asthma pill,{HHS},Phase I,SBIR,T6,1R43HL6,2026-11-01,2026,1,X\n"
    f"Old Therapeutics Inc,An asthma pill,{HHS},Phase I,SBIR,T7,1R43HL7,2019-11-01,2019,1,X\n"
    f"Late Therapeutics Inc,An asthma pill,{HHS},Phase I,SBIR,T8,1R43HL8,2027-11-01,2027,1,X\n"
    f"Quiet Therapeutics Inc,Asthma again,{HHS},Phase I,SBIR,T9,1R43HL9,2026-09-01,2026,1,X\n"
    f"Elsewhere Bio Inc,A psoriasis cream,{HHS},Phase I,SBIR,T4,1R43HL4,2026-11-01,2026,1,X\n"
)
GRANTS = (  # the second has no day, and its year is long past
    "APPLICATION_ID,AWARD_NOTICE_DATE,FULL_PROJECT_NUM,FY,ORG_NAME,PHR,PROJECT_TITLE,TOTAL_COST\n"
    "900001,2026-11-09,1R01HL900001-01,2026,INVENTED UNIVERSITY,About asthma,Airways,500000\n"
    "900002,,1R01HL900002-01,2008,PAST UNIVERSITY,About asthma,Airways,500000\n"
)
OFFERS = (
    "title,institution,field,url,posted_on\n"
    "Inhaled peptide,Invented University,severe asthma,https://tto.invented.example/1,2026-11-10\n"
    "No address,Invented University,asthma,ftp:/x,2026-11-10\n"
)


def article(number: str, title: str, affiliation: str) -> dict[str, str]:
    return {
        "id": number,
        "source": "MED",
        "title": title,
        "firstPublicationDate": "2026-11-12",
        "pubType": "journal article",
        "affiliation": affiliation,
    }


ARTICLES = {
    "version": "6.9",
    "hitCount": 2,
    "resultList": {
        "result": [
            article("1", "A target in <i>asthma</i>.", "Dept of Medicine, Invented University, X."),
            article("2", "Asthma models 42.", "Known Therapeutics Inc, Boston."),
        ]
    },
}
FILES = {
    "award_data.csv": AWARDS,
    "RePORTER_PRJ_C_FY2026.csv": GRANTS,
    "offers.csv": OFFERS,
    "search.json": json.dumps(ARTICLES),
}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    """Return a pack with one trial of a company, and the files."""
    stores = open_stores(Settings(home=tmp_path_factory.mktemp("home"), database_url=None))
    stores.identity.build(
        [one for one in asthma_names(("alphatinib",)) if one.kind != "company"], (), "test names"
    )
    with stores.evidence.next_generation() as writer:
        writer.add(
            [
                asthma_trial(
                    1,
                    "alphatinib",
                    "Known Therapeutics Inc",
                    updated_on="2026-01-01",
                    trial_phase="PHASE1",
                )
            ]
        )
        writer.finish_file(ImportedFile("a.json", "t", "0" * 64, NOW.isoformat(), 1, 0))
    folder = tmp_path_factory.mktemp("files")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    told = import_files(stores.evidence, find_files([folder]), now=NOW)
    assert {file.name: file.damaged for file in told} == {
        name: int(name == "offers.csv") for name in FILES
    }
    return stores


def ask(stores: Stores, thesis: str, **settings: object) -> DealSourcingData:
    context = replace(make_context(NOW, stores), settings=Settings(**settings))  # type: ignore[arg-type]
    return run(DealSourcingRequest(thesis=thesis), context)


def owners_by_type(data: DealSourcingData) -> Mapping[str, set[str]]:
    openings = [deal for deal in data.deals if not deal.entities.asset]
    types = {deal.deal_type for deal in openings}
    return {
        kind: {deal.entities.company for deal in openings if deal.deal_type == kind}
        for kind in types
    }


def test_each_kind_comes_with_its_owner_reason_and_source(stores: Stores) -> None:
    data = ask(stores, "asthma")
    assert owners_by_type(data) == {
        "private_company": {"Known Therapeutics Inc"},
        "stealth_startup": {"Quiet Therapeutics Inc"},
        "spinout": {"Spun Therapeutics Inc"},
        "pre_company_signal": {"INVENTED UNIVERSITY"},
        "licensing_asset": {"Invented University"},
        "university_paper": {"Invented University"},
        "research_report": {"Known Therapeutics Inc"},
    }
    numbers = {source.id for source in data.sources}
    for deal in data.deals:
        assert deal.source_ids
        assert set(deal.source_ids) <= numbers
        assert deal.memo_parts[0].claims[0].source_ids == deal.source_ids
        agent = all_agents()[deal.suggested_next_action.agent_key.replace("_", "-")]
        agent.request.model_validate(deal.suggested_next_action.inputs)
    assert [deal.deal_score for deal in data.deals] == sorted(
        (deal.deal_score for deal in data.deals), reverse=True
    )
    assert not [warning for warning in data.warnings if warning.startswith("claims_dropped")]


@pytest.mark.parametrize(
    ("thesis", "types"),
    [
        ("US companies in asthma", {"private_company", "stealth_startup", "spinout"}),
        ("unlisted companies in asthma", {"private_company", "stealth_startup", "spinout"}),
        (
            "academic asthma programs",
            {"pre_company_signal", "licensing_asset", "university_paper"},
        ),
        ("phase 2 asthma programs", set()),
        ("asthma programs stopped for business reasons", set()),
        ("psoriasis of listed companies", set()),
    ],
)
def test_a_thesis_narrows_the_kinds(stores: Stores, thesis: str, types: set[str]) -> None:
    assert set(owners_by_type(ask(stores, thesis))) == types


def test_a_lead_says_what_its_own_text_names_and_what_is_refused_is_left_out(
    stores: Stores,
) -> None:
    (deal,) = [
        deal
        for deal in ask(stores, "monoclonal antibodies in asthma").deals
        if deal.entities.company == "Known Therapeutics Inc" and not deal.entities.asset
    ]
    assert "asthma" in deal.memo
    left = {deal.title for deal in ask(stores, "asthma, no monoclonal antibodies").deals}
    assert left
    assert "A monoclonal antibody for asthma" not in left


def test_live_sources_are_asked_by_the_names_of_the_thesis_alone(stores: Stores) -> None:
    def library(asked: Asked) -> Sent:
        fresh = article("3", "Fresh asthma work", "Other University")
        result = {"result": [fresh]}
        words = {"queryString": asked.query["query"]}
        return as_json({"hitCount": 1, "request": words, "resultList": result})

    def grants(_: Asked) -> Sent:
        return as_json({"meta": {"total": 0}, "results": []})

    with serving(library) as papers, serving(grants) as reporter:
        addresses = {"europepmc": papers.address, "nih-reporter": reporter.address}
        data = ask(
            stores,
            "asthma, confidential idea of Jane Doe",
            live_sources=("europepmc", "nih-reporter"),
            live_addresses=addresses,
        )
        assert "asthma" in papers.asked[0].query["query"]
        assert "Jane" not in papers.asked[0].query["query"]
    assert "Other University" in owners_by_type(data)["university_paper"]
    with serving(lambda _: Sent(status=500)) as down:
        addresses = dict.fromkeys(addresses, down.address)
        live = ("europepmc", "nih-reporter")
        data = ask(stores, "asthma", live_sources=live, live_addresses=addresses)
    assert sum(one.startswith("source_unavailable") for one in data.warnings) == 2
    assert len(owners_by_type(data)) == 7
