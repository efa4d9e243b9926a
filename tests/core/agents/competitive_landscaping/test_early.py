"""Early assets: what papers, grants and offers of the evidence or of live sources tell of one."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.agents.competitive_landscaping.pipeline import run
from core.agents.competitive_landscaping.report import compose
from core.agents.competitive_landscaping.schema import (
    CompetitiveLandscapingData,
    CompetitiveLandscapingRequest,
)
from core.agents.competitive_landscaping.standing import STANDINGS
from core.evidence.sources.files.dealmaking.papers import describe_article
from core.evidence.sources.files.dealmaking.reporter import describe_answer
from core.records.evidence import Parsed
from core.settings import Settings
from core.tables.rows import SourceFile
from tests.core.agents.competitive_landscaping.conftest import Field
from tests.core.agents.frames import Frames, make_about
from tests.core.evidence.loopback import as_json, serving

FILE = SourceFile(Path("made.json"), "2026-11-20", "2026-11-20", lambda *_: None)
EARLY = ("Paper from", "Grant at", "Patent family by")
ARTICLE = {
    "id": "1",
    "source": "MED",
    "title": "Discovery of potent CLDN18 inhibitors",
    "abstractText": "The compounds were active in mice.",
    "affiliation": "Yale University, New Haven, CT.",
    "firstPublicationDate": "2026-01-02",
}
GRANT = {
    "project_num": "R01CA000001",
    "appl_id": 10000001,
    "project_title": "Small molecule inhibitors of CLDN18",
    "organization": {"org_name": "OREGON STATE UNIVERSITY"},
    "fiscal_year": 2026,
    "award_amount": 500_000,
    "award_notice_date": "2026-03-04T00:00:00",
}


def article(**fields: Any) -> Parsed:
    parsed = describe_article({**ARTICLE, **fields}, FILE, 1)
    assert parsed
    return parsed


def grant(**fields: Any) -> Parsed:
    (parsed,) = describe_answer({**GRANT, **fields}, FILE, 1)
    return parsed


def early_of(data: CompetitiveLandscapingData) -> list[str]:
    return [row.drug_name for row in data.drugs if row.stage in {"PRECLINICAL", "DISCOVERY"}]


def test_a_paper_and_a_grant_are_leads_with_owner_action_source_and_date(landscape: Field) -> None:
    before = landscape.run("CLDN18")
    landscape.further += [article(), grant()]
    data = landscape.run("CLDN18")
    rows = {row.drug_name: row for row in data.drugs if row.drug_name.startswith(EARLY)}
    paper = rows["Paper from Yale University (MED/1)"]
    assert (paper.stage, paper.company, paper.target) == (
        "PRECLINICAL",
        "Yale University",
        "CLDN18",
    )
    assert (paper.mechanism, paper.as_of) == ("inhibitor", "2026-01-02")
    (awarded,) = [row for name, row in rows.items() if name.startswith("Grant at Oregon")]
    assert (awarded.stage, awarded.as_of) == ("DISCOVERY", "2026-03-04")
    urls = {source.id: source.url for source in data.sources}
    assert {urls[i] for i in paper.source_ids} == {"https://europepmc.org/article/MED/1"}
    assert data.runs.preclinical.drug_count == len(data.drugs) == len(before.drugs) + 2
    assert any(warning.startswith("early_assets:") for warning in data.warnings)
    assert [row.drug_name for row in landscape.run("CLDN18", query_type="clinical").drugs] == [
        row.drug_name for row in before.drugs
    ]


@pytest.mark.parametrize("has_drugs", [True, False])
def test_drugs_and_early_assets_are_counted_apart(landscape: Field, has_drugs: bool) -> None:  # noqa: FBT001
    landscape.drugs = landscape.drugs if has_drugs else []
    landscape.further += [
        article(title="Discovery of potent PDCD1 inhibitors"),
        grant(project_title="Small molecule inhibitors of PDCD1"),
    ]
    data = landscape.run("PDCD1")
    n_early = sum(row.drug_name.startswith(EARLY) for row in data.drugs)
    n_drugs = len(data.drugs) - n_early
    assert (n_drugs, n_early) == (len(landscape.drugs), 2)
    standings = {standing.standing: standing.n for standing in data.standings}
    assert [*standings] == list(STANDINGS)
    assert (standings.pop("early asset"), sum(standings.values())) == (n_early, n_drugs)
    report = compose(data, Frames(data), make_about("competitive-landscaping", "PDCD1"))
    tiles = {tile.label: tile.value for tile in report.front.tiles}
    assert (tiles["Drugs"], tiles["Early assets"]) == (str(n_drugs), str(n_early))
    counts = "3 drugs and 2 early assets" if has_drugs else "2 early assets"
    assert f" {counts}, " in report.subtitle
    assert counts in report.front.sentences[0]
    codes = {warning.partition(":")[0] for warning in data.warnings}
    assert "early_assets" in codes
    assert not codes & {"no_preclinical", "claims_dropped"}


@pytest.mark.parametrize(
    "record",
    [
        article(title="CLDN18 expression in gastric cancer"),
        article(title="Selective inhibition of CLDN18 reveals new models of adhesion"),
        article(title="A screen to identify activators of CLDN18 using mass spectrometry"),
        article(title="Resistance to novel CLDN18 inhibitors"),
        article(title="Novel CLDN18 inhibitors: a review"),
        article(title="A novel CLDN18 inhibitor in patients with gastric cancer"),
        article(abstractText="It was compared with gammamab."),
        article(affiliation=""),
        article(firstPublicationDate="2016-01-02"),
        grant(project_title="Role of CLDN18 inhibitors in inflammation"),
        article(title="Novel antibodies that detect CLDN18 protein in tissue"),
        article(title="Retraction: Novel CLDN18 inhibitors"),
        article(title="[Retracted] Discovery of potent CLDN18 inhibitors"),
        article(title="Correction: Discovery of potent CLDN18 inhibitors"),
        article(title="Author Correction: Discovery of potent CLDN18 inhibitors"),
        article(title="Correction to “Discovery of potent CLDN18 inhibitors”"),
        article(title="Corrigendum to: Discovery of potent CLDN18 inhibitors"),
        article(title="Erratum. Novel CLDN18 inhibitors"),
        article(title="Expression of concern: Novel CLDN18 inhibitors"),
        article(title="Comment on “Novel CLDN18 inhibitors”"),
        article(title="Development of an HPLC method for CLDN18 inhibitor quantification"),
        article(title="Development of a UPLC-MS/MS method for a novel CLDN18 inhibitor"),
        article(title="Synthesis of CLDN18 inhibitor-loaded nanoparticles"),
        article(title="Design of liposomal CLDN18 inhibitors"),
        article(title="Novel fluorescent CLDN18 ligands"),
        article(title="Editorial: Novel CLDN18 inhibitors"),
    ],
)
def test_what_tells_of_no_new_asset_is_no_lead(landscape: Field, record: Parsed) -> None:
    before = landscape.run("CLDN18")
    landscape.further.append(record)
    data = landscape.run("CLDN18")
    assert [row.drug_name for row in data.drugs] == [row.drug_name for row in before.drugs]


def test_a_code_next_to_the_target_is_the_asset_s_name(landscape: Field) -> None:
    text = "We report XQZ-4471, a selective CLDN18 inhibitor, in HCC-1954 cells."
    landscape.further.append(article(abstractText=text))
    assert "XQZ-4471" in early_of(landscape.run("CLDN18"))


def test_a_lead_is_of_the_disease_asked_for(landscape: Field) -> None:
    landscape.further += [
        article(abstractText="Active against gastric cancer."),
        article(id="2", abstractText="Active in asthma."),
    ]
    rows = landscape.run("CLDN18 in gastric cancer").drugs
    shown = {row.drug_name: row.indication for row in rows if row.drug_name.startswith(EARLY)}
    assert shown == {"Paper from Yale University (MED/1)": "gastric cancer"}


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Novel ANTI-CLDN18 IMMUNOCONJUGATES", "antibody-drug conjugate"),
        ("Discovery of anti-CLDN18 antibody-exatecan conjugates", "antibody-drug conjugate"),
        ("Novel anti-CLDN18 antibody-PMO conjugates", "monoclonal antibody"),
        ("Novel anti-CLDN18 antibodies", "monoclonal antibody"),
    ],
)
def test_a_conjugated_antibody_is_no_plain_one(landscape: Field, title: str, kind: str) -> None:
    landscape.further.append(article(title=title))
    rows = landscape.run("CLDN18").drugs
    assert [row.modality for row in rows if row.drug_name.startswith(EARLY)] == [kind]


def test_live_papers_are_leads_where_a_target_is_asked_for(landscape: Field) -> None:
    landscape.hold()
    retraction = ARTICLE | {"id": "2", "title": "Retraction: Discovery of new CLDN18 inhibitors"}
    body = {"hitCount": 2, "resultList": {"result": [ARTICLE, retraction]}}

    def ask(query: str) -> CompetitiveLandscapingData:
        request = CompetitiveLandscapingRequest.model_validate({"query": query})
        return run(request, replace(landscape.context(), settings=allowed))

    with serving(
        lambda asked: as_json({**body, "request": {"queryString": asked.query["query"]}})
    ) as server:
        allowed = Settings(
            live_sources=("europepmc",), live_addresses={"europepmc": server.address}
        )
        data = ask("CLDN18")
        assert early_of(data) == ["Paper from Yale University (MED/1)"]
        assert [paper.title for paper in data.publications] == [ARTICLE["title"]]
        (line,) = [line for line in data.source_report if "Europe PMC" in line.source]
        assert (line.status, line.origin, line.n_hits) == ("answered", "live", 1)
        assert len(server.asked) == 1
        assert not early_of(ask("gastric cancer"))  # its papers are listed, and give no assets


def test_the_stage_of_a_lead_of_a_listed_drug_s_owner_is_unknown(landscape: Field) -> None:
    owner = next(row.company for row in landscape.run("PDCD1").drugs if row.company)
    title = "Discovery of potent PDCD1 inhibitors"
    landscape.further += [
        article(title=title, affiliation=f"{owner} Inc., Rahway."),
        article(title=title, id="2"),
    ]
    rows = landscape.run("PDCD1").drugs
    stages = {row.company: row.stage for row in rows if row.drug_name.startswith(EARLY)}
    assert stages == {owner: "UNKNOWN", "Yale University": "PRECLINICAL"}
