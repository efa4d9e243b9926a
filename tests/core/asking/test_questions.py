"""Questions read by rules: agent, entity, request, forms and refusals, on the starter pack."""

import time

import pytest

from core.asking.filling import FORM_AGENTS
from core.asking.plans import Plan
from core.asking.questions import Reading, read_question
from core.asking.words import is_question
from core.briefs.entities.identifying import Library
from core.registry import all_agents
from tests.benchmarks.ask_questions import Asked, judge, open_library, read_table
from tests.instances import starter_home
from tests.rows import over_rows

pytestmark = pytest.mark.xdist_group("starter")
AGENTS = (*all_agents(),)


@pytest.fixture(scope="session")
def library() -> Library:
    return open_library(starter_home())


def read(text: str, library: Library, allowed: tuple[str, ...] = AGENTS) -> Reading:
    return read_question(text, library, allowed)


@pytest.fixture(scope="session")
def plans(library: Library) -> dict[Asked, Plan]:
    """Return what the rules make of the written questions."""
    return {asked: read(asked.question, library).plan for asked in read_table("written")}


def test_agent_and_entity_are_right(plans: dict[Asked, Plan], library: Library) -> None:
    faults = {asked.question: judge(asked, plans[asked], library) for asked in plans}
    assert {question: fault for question, fault in faults.items() if fault} == {}


def test_what_nobody_answers_is_refused_with_what_would_help(plans: dict[Asked, Plan]) -> None:
    refused = [plan for asked, plan in plans.items() if asked.cannot]
    assert len(refused) == 15
    assert all(plan.cannot and plan.help and not plan.runs for plan in refused)


def test_rivals_of_a_company_are_not_its_own_drugs(library: Library) -> None:
    [run] = read("Novo Nordisk's competitors in obesity", library).plan.runs
    assert run.agent == "competitive-landscaping"
    assert "Novo" not in str(run.request)
    alone = read("competitors of Vertex", library).plan
    assert (alone.cannot, alone.runs) == ("unclear", ())
    assert alone.help


@over_rows(
    ("text", "code", "word"),
    [
        ("Compare Pfizer, Lilly, Merck, Novartis, Roche, Sanofi", "not_run", "Sanofi"),
        ("News of Keytruda, Opdivo, Tecentriq, Imfinzi, Libtayo", "not_run", "cemiplimab"),
        ("Which of Lilly's drugs lost approval?", "not_read", "lost"),
        ("Which NSCLC drugs failed in phase 3?", "not_read", "failed"),
    ],
)
def test_what_is_not_run_or_read_is_said(text, code, word, library: Library) -> None:
    plan = read(text, library).plan
    assert plan.runs
    assert [each for each in plan.warnings if each.startswith(f"{code}:") and word in each]


@over_rows(
    ("text", "agent", "field", "value"),
    [
        ("Alert me when there is news on ivonescimab", "alerts", "drug_name", "ivonescimab"),
        ("Show me the scaffolds of KRAS G12D", "compound-map", "target", "KRAS G12D"),
        ("Why did shares of Novo Nordisk fall?", "attribution-engine", "companies", None),
        ("Analyze my RNA-seq of HCC827", "differential-expression", "", None),
    ],
)
def test_what_needs_a_file_or_a_decision_is_a_filled_form(
    text: str, agent: str, field: str, value: str | None, library: Library
) -> None:
    plan = read(text, library).plan
    assert plan.cannot == "not_an_agents"
    assert not plan.runs
    assert plan.offers[0].agent == agent
    assert value is None or plan.offers[0].request[field] == value


def test_no_run_needs_a_file_or_changes_an_account(plans: dict[Asked, Plan]) -> None:
    for run in (run for plan in plans.values() for run in plan.runs):
        assert run.agent not in FORM_AGENTS
        all_agents()[run.agent].request.model_validate(dict(run.request))


def test_several_companies_are_several_runs_and_never_more_than_four(library: Library) -> None:
    text = "Profile Pfizer, Gilead Sciences, Novartis, Roche and Incyte"
    names = [run.request["company"] for run in read(text, library).plan.runs]
    assert names == ["Pfizer", "Gilead Sciences", "Novartis", "Roche"]


def test_missing_fields_are_named_beside_the_filled_form(library: Library) -> None:
    plan = read("Plan assays for BCMA in multiple myeloma", library).plan
    assert plan.cannot == "unclear"
    assert {*plan.offers[0].missing} == {"modality", "assay_goal"}
    assert "assay goal" in plan.help
    assert plan.offers[0].request["target"] == "BCMA"


def test_a_design_takes_what_the_records_know_of_the_drug(library: Library) -> None:
    (run,) = read("Design a phase 3 trial for ivonescimab in NSCLC", library).plan.runs
    assert run.request["target"] == "PD-1 x VEGF"
    assert run.request["development_stage"] == "phase 3"
    assert run.request["indication"] == "non-small cell lung cancer"


def test_what_is_assumed_is_said(library: Library) -> None:
    plan = read("Draft a label for dupilumab in bullous pemphigoid", library).plan
    assert plan.warnings[0].startswith("assumed: agency FDA")


def test_days_of_a_question_are_days_of_the_request(library: Library) -> None:
    (run,) = read("Any news about Keytruda in the last 90 days?", library).plan.runs
    assert run.request["lookback_days"] == 90


def test_next_questions_are_of_other_agents(library: Library) -> None:
    plan = read("Which PD-1 x VEGF bispecifics are in phase 3?", library).plan
    agents = [offer.agent for offer in plan.offers]
    assert len({*agents}) == len(agents) >= 3
    assert plan.runs[0].agent not in agents


def test_an_agent_out_of_the_keys_scope_is_a_form(library: Library) -> None:
    plan = read("What does Akeso have in its pipeline?", library, ("deal-sourcing",)).plan
    assert (plan.runs, plan.cannot) == ((), "not_an_agents")
    assert plan.offers[0].agent == "company-asset-searcher"


@over_rows("text", ["I have ", "track a ", "not ", "Abcd Efgh ", "\u202e", "\x00", "<script>"])
def test_a_thousand_hostile_signs_are_read_soon_and_run_nothing(
    text: str, library: Library
) -> None:
    began = time.monotonic()
    assert not read((text * 1_000)[:1_000], library).plan.runs
    assert time.monotonic() - began < 20


@over_rows(
    ("text", "asks"),
    [
        ("Which TROP2 ADCs are in phase 3?", True),
        ("compare semaglutide with tirzepatide", True),
        ("recent news on lecanemab", True),
        ("pembrolizumab", False),
        ("PD-1 in NSCLC", False),
        ("Novo Nordisk", False),
        ("qwzx vbnm", False),
    ],
)
def test_names_keep_their_pages(text: str, asks: bool) -> None:
    assert is_question(text) is asks
