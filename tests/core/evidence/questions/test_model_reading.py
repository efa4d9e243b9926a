"""Words that the rules leave over: read by an honest model, never by a liar."""

import random
from dataclasses import replace

import pytest

from core.agents.competitive_landscaping.gathering import understand
from core.agents.competitive_landscaping.rows import show_query
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.workbench import RunContext
from tests.benchmarks.model_reading import DISEASES, TARGETS, Case, Reading, make_cases
from tests.standin.inprocess import InProcess, make_drafter
from tests.standin.models import CANARY, READING_LIES, Answer, make_liar, make_reader

pytestmark = pytest.mark.xdist_group("starter")
TABLE = {name.casefold(): meant for name, meant in {**DISEASES, **TARGETS}.items()}
HONEST = make_reader(TABLE)
QUESTION = "bispecific antibodies for artrite reumatoide, not melanoma"


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Return every fourth of the questions."""
    return [case for case in make_cases() if case.is_held_out][::4]


def ask(context: RunContext, answer: Answer, **fields: object) -> tuple[dict[str, object], str]:
    """Return how a question is understood with a model, and the warnings."""
    drafter = make_drafter(InProcess(answer, random.Random(2)))
    request = CompetitiveLandscapingRequest.model_validate({"query": QUESTION, **fields})
    asked = understand(request, replace(context, model=drafter))
    return show_query(asked).model_dump(), " ".join([*asked.warnings, *drafter.warnings])


def test_an_honest_model_reads_ten_points_more_and_nothing_wrong(context, cases) -> None:
    reading = Reading(context)
    rules, honest = (reading.score(cases, answer) for answer in (None, HONEST))
    assert honest.understood >= rules.understood + len(cases) / 10
    assert (honest.newly_wrong, honest.overturned) == (0, 0)


@pytest.mark.parametrize("kind", READING_LIES)
def test_a_liar_names_nothing_that_the_question_does_not(kind: str, context, cases) -> None:
    score = Reading(context).score(cases[:5], make_liar(kind))
    assert (score.foreign, score.overturned) == (0, 0)
    parsed, warnings = ask(context, make_liar(kind))
    assert CANARY not in f"{parsed}{warnings}"


def test_what_a_model_read_is_labeled_and_can_be_undone(context) -> None:
    by_rules, _ = ask(context, lambda *_: {"pieces": [], "names": []})
    assert by_rules["indications"] == []
    parsed, warnings = ask(context, HONEST)
    assert parsed["indications"] == ["rheumatoid arthritis"]
    assert parsed["not_indications"] == by_rules["not_indications"] == ["melanoma"]
    change = {"said": "artrite reumatoide", "meant": "rheumatoid arthritis", "why": "model"}
    assert change in parsed["changes"]
    assert "read_by_model: " in warnings
    undone, warnings = ask(context, HONEST, include_llm_reading=False)
    assert undone == by_rules
    assert "read_by_model" not in warnings


def test_nothing_is_asked_where_the_rules_understand_all(context) -> None:
    model = InProcess(HONEST)
    request = CompetitiveLandscapingRequest(query="PD-1 antibodies in melanoma, phase 2")
    understand(request, replace(context, model=make_drafter(model)))
    assert model.n == 0
