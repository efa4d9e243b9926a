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
NEWS, LANDSCAPE, DESIGN = "new-developments", "competitive-landscaping", "clinical-trial-design"


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


def test_readouts_of_everybody_are_refused(library: Library) -> None:
    assert read("Which trials read out in Q1 2027?", library).plan.cannot == "unclear"


def test_rivals_of_a_company_are_not_its_own_drugs(library: Library) -> None:
    [run] = read("Novo Nordisk's competitors in obesity", library).plan.runs
    assert run.agent == "competitive-landscaping"
    assert "Novo" not in str(run.request)
    assert run.without == "Novo Nordisk"
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
    ("text", "words", "agent"),
    [
        ("Design a trial without placebo for donanemab in Alzheimer disease", "placebo", DESIGN),
        ("Design a single-arm trial of zongertinib in NSCLC", "single-arm", DESIGN),
        ("Should we run a non-inferiority trial against apixaban in AF?", "against", DESIGN),
        ("Plan a trial of povetacicept vs dapagliflozin in IgA nephropathy", "vs", DESIGN),
        ("Which gene therapies for hemophilia A are on clinical hold?", "hold", LANDSCAPE),
        ("TROP2 ADCs that do not cross the placenta", "do not", LANDSCAPE),
    ],
)
def test_words_that_no_agent_carries_are_refused(text, words, agent, library: Library) -> None:
    plan = read(text, library).plan
    assert plan.cannot == ("unclear" if "do not" in words else "not_an_agents")
    assert words in plan.help
    assert not plan.runs
    assert plan.offers[0].agent == agent


@over_rows(
    ("text", "agent", "meant"),
    [
        ("Which TIGIT antibodies failed?", LANDSCAPE, "discontinued"),
        ("which drugs is Novartis not developing any more?", LANDSCAPE, "discontinued"),
        ("Which of Novartis' drugs were discontinued?", LANDSCAPE, "discontinued"),
        ("Which heart failure drugs are in phase 3?", LANDSCAPE, "Which heart failure drugs"),
        ("Which trials of tirzepatide were stopped?", NEWS, "terminated trials"),
        ("Did donanemab fail in Europe?", NEWS, "terminated trials"),
        ("What did the EMA refuse this year?", NEWS, "complete response letters"),
        ("Which psoriasis drugs were never approved?", LANDSCAPE, "never approved"),
        ("Which drugs did Roche drop in Huntington disease?", LANDSCAPE, "discontinued"),
        ("Which of Lilly's drugs lost approval?", NEWS, "approval withdrawals"),
        ("What failed in Alzheimer's disease last year?", NEWS, "terminated trials"),
        ("Which anti-amyloid antibodies were rejected?", NEWS, "complete response letters"),
        ("drugs without approval in psoriasis", LANDSCAPE, "without approval"),
        ("Drugs approved in 2026 by FDA", NEWS, "approvals"),
        ("Upcoming catalysts for Viking", NEWS, "next 12 months for Viking Therapeutics"),
        ("What does ABBV have in Crohn's disease?", LANDSCAPE, "AbbVie"),
        ("What deals did Merck and Daiichi Sankyo sign on ADCs?", NEWS, "deals"),
        ("Recent approvals", NEWS, "approvals"),
        ("CRLs 2026", NEWS, "CRLs"),
        ("Upcoming catalysts in December 2026", NEWS, "December 2026"),
        ("What read out in psoriasis in Q1 2027?", NEWS, "Q1 2027"),
        ("deals in radioligands", NEWS, "deals"),
        ("Was anything approved recently in psoriasis?", NEWS, "approv"),
    ],
)
def test_an_agent_is_asked_for_what_the_words_mean(text, agent, meant, library: Library) -> None:
    [run] = read(text, library).plan.runs
    assert run.agent == agent
    assert meant in str(run.request["query"])


@over_rows(
    ("text", "drugs", "where"),
    [
        ("Is retatrutide approved?", ("retatrutide",), ""),
        ("Is ivonescimab approved in China?", ("ivonescimab",), "China"),
        ("Has danuglipron been discontinued?", ("danuglipron",), ""),
        ("When was Keytruda first approved?", ("pembrolizumab",), ""),
        ("Who makes Humira?", ("adalimumab",), ""),
        ("opdivo vs keytruda in melanoma", ("nivolumab", "pembrolizumab"), "melanoma"),
        ("In which phase is RC148?", ("RC148",), ""),
    ],
)
def test_what_is_asked_of_drugs_is_told_of_them_alone(text, drugs, where, library: Library) -> None:
    [run] = read(text, library).plan.runs
    assert (run.agent, run.drugs) == (LANDSCAPE, drugs)
    assert where in str(run.request["query"])


@over_rows(
    ("text", "page"),
    [
        ("When does the patent of Eliquis expire?", "apixaban, “Rights and deals”"),
        ("Who owns zanidatamab outside Asia?", "zanidatamab, “Rights and deals”"),
        ("What did AbbVie pay for RC148?", "RC148, “Rights and deals”"),
        ("What did Merck pay for Prometheus?", "Merck & Co., “Deals and news”"),
        ("Did Novartis acquire Avidity?", "Novartis, “Deals and news”"),
        ("Did Pfizer acquire Seagen?", "Pfizer, “Deals and news”"),
        ("Does Zepbound have a boxed warning?", "tirzepatide, “Label”"),
    ],
)
def test_what_only_a_page_has_is_refused_with_the_page(text, page, library: Library) -> None:
    plan = read(text, library).plan
    assert (plan.cannot, plan.runs) == ("not_an_agents", ())
    assert page in plan.help


@over_rows(
    ("text", "field", "value"),
    [
        ("Design a phase 2 trial for a TL1A antibody in UC", "development_stage", "phase 1"),
        ("Design a phase 2 trial for a TL1A antibody in UC", "modality", "monoclonal antibody"),
        (
            "Draft a label for zongertinib in HER2-mutant NSCLC",
            "indication",
            "HER2-mutant non-small cell lung cancer",
        ),
        ("Design a phase 3 trial of zongertinib in 1L NSCLC", "line_of_therapy", "1L"),
    ],
)
def test_constraints_are_fields_of_the_request(text, field, value, library: Library) -> None:
    [run] = read(text, library).plan.runs
    assert run.request[field] == value


def test_a_company_under_an_earlier_name_is_said(library: Library) -> None:
    plan = read("What drugs does Seagen have?", library).plan
    assert plan.runs
    assert [each for each in plan.warnings if each.startswith("read_as: Seagen as Pfizer")]


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
