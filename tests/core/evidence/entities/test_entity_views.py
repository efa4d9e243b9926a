"""Pages of drawn things: what the head, the sentences and the table say is the same."""

import random
import re
from collections import Counter

import pytest

from core.briefs.entities.charts import draw_catalysts, draw_matrix, draw_pipeline, draw_trials
from core.briefs.entities.identifying import identify
from core.briefs.entities.index import EntityIndex
from core.briefs.entities.sentences import (
    company_sentences,
    count_stages,
    drug_sentences,
    field_sentences,
)
from core.briefs.entities.steps import drug_steps, field_steps
from core.briefs.entities.tables import DRUGS, stage_words
from core.briefs.entities.views import read_company, read_drug, read_field
from core.evidence.proof.citations import Cite
from core.records.entities import SCOPES
from core.registry import all_agents
from core.reports.charts import draw_png
from tests.rows import size_of

pytestmark = pytest.mark.xdist_group("entities")
SEED = 20261126
DAY = "2026-11-26"
DRAWN = {
    "drug": size_of(40, 12),
    "company": size_of(30, 8),
    "target": size_of(20, 6),
    "disease": size_of(10, 3),
}
FEWEST_PAGES = size_of(60, 18)


@pytest.fixture(scope="session")
def drawn(index: EntityIndex) -> dict[str, list[str]]:
    """Return identifiers of each kind, drawn by seed among those that the evidence names."""
    chance = random.Random(SEED)
    by_kind = {
        kind: [one.id for one, number in index.entities if one.kind == kind and number]
        for kind in DRAWN
    }
    return {kind: chance.sample(by_kind[kind], number) for kind, number in DRAWN.items()}


def numbers_in(sentence: str) -> Counter[str]:
    """Return the counts by stage that a sentence states, such as "2 in phase 3"."""
    stages = "approved|filed|phase \\S+?|preclinical|discovery|discontinued|stage not reported"
    found = re.findall(rf"([\d,]+) (?:in )?({stages})(?=[,).])", sentence)
    return Counter({words: int(number.replace(",", "")) for number, words in found})


def check_counts(drugs, sentence: str, cite: Cite) -> None:
    tiles = Counter(stage_words(one) for one in drugs)
    assert sum(count_stages(drugs).values()) == len(drugs)
    assert numbers_in(sentence) == tiles
    assert Counter(row["Stage"] for row in DRUGS.rows(drugs, cite)) == tiles


def test_drugs_say_the_same_in_head_sentence_and_table(library, drawn) -> None:
    n_pages = 0
    for key in drawn["drug"]:
        view = read_drug(key, library)
        if view is None:
            continue
        n_pages += 1
        drug, cite = view.drug, Cite(view.records)
        sentences = drug_sentences(drug, cite)
        head = stage_words(drug)
        if drug.is_active and head != "stage not reported":
            assert head in sentences[1].casefold()
        row = DRUGS.rows([drug], cite)[0]
        assert row["Stage"] == head
        if row["Next catalyst"]:
            assert str(row["Next catalyst"]) in sentences[2]
        assert {*cite.citations.cited} <= {*view.records}
        draw_matrix(drug)
        draw_trials(drug.own_trials, DAY)
    assert n_pages > DRAWN["drug"] / 4


def test_companies_and_fields_say_the_same_in_tiles_sentence_and_table(library, drawn) -> None:
    n_pages = 0
    for name in drawn["company"]:
        view = read_company(name, library)
        if view is not None and view.drugs:
            cite = Cite(view.records)
            check_counts(view.drugs, company_sentences(view, cite)[0], cite)
            n_pages += 1
    fields = [(key, "") for key in drawn["target"]] + [("", key) for key in drawn["disease"]]
    for target, disease in fields:
        field = read_field(target, disease, library)
        assert field is not None
        for scope in SCOPES:
            if drugs := field.within(scope):
                cite = Cite(field.records)
                check_counts(drugs, field_sentences(field, scope, cite)[0], cite)
                n_pages += 1
    assert n_pages > FEWEST_PAGES


def test_a_wider_scope_holds_the_narrower_one_and_says_what_it_adds(library) -> None:
    lung = identify("disease", "NSCLC", library).entity
    assert lung is not None
    field = read_field("PD-1 x VEGF", lung.id, library)
    assert field is not None
    names = {scope: {one.name for one in field.within(scope)} for scope in SCOPES}
    assert "ivonescimab" in names["narrow"]
    assert "pumitamig" in names["near"] - names["narrow"]
    assert names["narrow"] < names["near"] < names["wide"]
    assert all(one.why for one in field.drugs if one.scope != "narrow")
    assert all(not one.why for one in field.within("narrow"))


def test_a_step_fills_every_agent_from_a_drug_and_leaves_at_most_one_field(library) -> None:
    drug = identify("drug", "sotorasib", library).entity
    assert drug is not None
    view = read_drug(drug.id, library)
    assert view is not None
    steps = drug_steps(view.drug, view.drug.top_program, view.events)
    agents = all_agents()
    assert {one.agent for one in steps} == {*agents}
    for step in steps:
        fields = agents[step.agent].request.model_fields
        assert {*step.asked} <= {*fields}, step.agent
    design = next(one for one in steps if one.agent == "clinical-trial-design")
    needed = [
        name
        for name, info in agents[design.agent].request.model_fields.items()
        if info.is_required() and not design.asked.get(name)
    ]
    assert len(needed) <= 1
    for step in field_steps("KRAS G12C", "lung cancer"):
        assert {*step.asked} <= {*agents[step.agent].request.model_fields}


def test_charts_of_a_page_are_drawn_for_print_as_well(library) -> None:
    view = read_company("Vertex Pharmaceuticals", library)
    assert view is not None
    for chart in (draw_pipeline(view.drugs, view.areas), draw_catalysts(view.drugs, DAY)):
        assert chart is not None
        assert draw_png(chart).startswith(b"\x89PNG")
