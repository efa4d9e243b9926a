"""Ask with a model: chosen by id, labeled, paid, repeatable; liars and failures change nothing."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from api.startup import open_workbench
from core.asking.answering import Asking
from core.asking.drafted import closed_fields, draft_plan
from core.asking.questions import read_question
from core.asking.records import AskRequest
from core.drafting.ledger import MOST_CALLS, begin_of_month
from core.records.runs import Caller
from core.registry import all_agents
from core.settings import Settings
from core.workbench import Workbench
from tests.benchmarks.ask_questions import AGENTS, make_digests, open_library, tell_lies
from tests.instances import link, starter_home
from tests.rows import over_rows
from tests.standin.inprocess import InProcess, make_drafter
from tests.standin.models import CANARY, KEY, make_asker, make_liar
from tests.standin.server import StandIn, serve

pytestmark = pytest.mark.xdist_group("starter")
QUESTION = "Which PD-1 x VEGF bispecifics are in phase 3?"
MISREAD = "What could we buy in IgA nephropathy?"
KEYS = {
    QUESTION: ("competitive-landscaping", "PD-1 x VEGF", ""),
    MISREAD: ("deal-sourcing", "IgA nephropathy", ""),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return link(starter_home(), tmp_path_factory.mktemp("drafted") / "home")


@contextmanager
def opened(home: Path, stand_in: StandIn | None, name: str = "default") -> Iterator[Workbench]:
    """Open an instance that asks a stand-in, a model of some name, for nothing but questions."""
    fields: dict[str, Any] = {"home": home, "offline": True}
    if stand_in is not None:
        fields |= {"model": "local", "model_base_url": f"{stand_in.base_url}/v1"}
        fields |= {"model_api_key": KEY, "model_tasks": ("ask",), "model_names": {"sonnet": name}}
    with open_workbench(Settings.model_validate(fields)) as workbench:
        yield workbench


def caller_of(workbench: Workbench) -> Caller:
    name = f"drafted-{time.monotonic_ns()}"
    user = workbench.stores.users.create(name, "correct horse battery")
    return Caller(user_id=user.user_id, name=name)


def answer(workbench: Workbench, caller: Caller, query: str = QUESTION) -> dict[str, Any]:
    asked = Asking(AskRequest(query=query), caller, workbench).answer_now()
    return asked.model_dump(mode="json")


def test_a_model_chooses_is_labeled_and_paid_once(home: Path) -> None:
    with serve(StandIn(answer=make_asker(KEYS))) as stand_in, opened(home, stand_in) as workbench:
        caller = caller_of(workbench)
        first = answer(workbench, caller)
        assert first["narrative"] == {
            "mode": "language_model",
            "provider": "local",
            "model": "default",
        }
        assert first["usage"]["calls"] == len(stand_in.bodies) == 3  # a probe, a plan, a choice
        assert first["usage"]["total_tokens"] > 0
        assert len(first["tables"][0]["columns"]) == 5  # four of its choice, and the sources
        again = answer(workbench, caller)
        assert again["usage"]["calls"] == again["usage"]["runs_charged"] == 0
        assert again["lines"] == first["lines"]
        since = begin_of_month(workbench.now())
        lines = workbench.stores.model_calls.totals_since(caller.user_id, since)
        assert sum(line.calls for line in lines) == 3
    assert stand_in.faults == []


@pytest.fixture(scope="module")
def rules(home: Path) -> dict[str, Any]:
    """Return the answer without any model."""
    with opened(home, None) as workbench:
        return answer(workbench, caller_of(workbench))


@over_rows("script", ["status 401", "schema ignored", "truncation"])  # all: test_scripts.py
def test_whatever_fails_the_answer_by_rules_stands_labeled(
    script: str, home: Path, rules: dict[str, Any]
) -> None:
    with (
        serve(StandIn(answer=make_asker(KEYS), script=("ok", script))) as stand_in,
        opened(home, stand_in, script) as workbench,
    ):
        failed = answer(workbench, caller_of(workbench))
        assert len(stand_in.bodies) <= MOST_CALLS
    assert failed["narrative"]["mode"] == "rules"
    for name in ("tables", "lines", "next"):
        assert _plain(failed[name]) == _plain(rules[name])
    codes = {warning.partition(":")[0] for warning in failed["warnings"]}
    assert codes <= {"model_unavailable", "model_answer_refused"}
    assert codes
    told = json.dumps(failed)
    assert CANARY not in told
    assert KEY not in told


def _plain(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return parts without the names of their runs."""
    return [{k: v for k, v in part.items() if k not in {"run_id", "url"}} for part in parts]


def test_a_run_that_fails_is_named_with_its_cause(home: Path) -> None:
    settings = Settings(home=home, offline=True, allowance_s=0.001)
    with open_workbench(settings) as workbench:
        failed = answer(workbench, caller_of(workbench), "What assets does Akeso own?")
    assert failed["runs"][0]["status"] == "timed_out"
    assert failed["warnings"][0].startswith("run_failed: Company assets: ")
    assert failed["help"]
    assert not failed["lines"]


def test_a_model_reads_what_the_rules_misread() -> None:
    library = open_library(starter_home())
    reading = read_question(MISREAD, library, AGENTS)
    assert reading.plan.runs[0].agent == "competitive-landscaping"
    plan = draft_plan(reading, AGENTS, make_drafter(InProcess(make_asker(KEYS)), ("ask",)))
    assert [run.agent for run in plan.runs] == ["deal-sourcing"]
    assert plan.offers[0].agent == "competitive-landscaping"


def test_what_a_model_read_is_said() -> None:
    library = open_library(starter_home())
    text = "Plan assays for a BCMA CAR-T in multiple myeloma"

    def choose(data: str, schema: Any, chance: Any) -> Any:
        run = {"agent": "assay-development", "about": ["e1", "e2"], "assay_goal": "potency"}
        run |= {"modality": "vaccine", "development_stage": ""}
        return {"runs": [run], "names": [], "cannot": ""}

    reading = read_question(text, library, AGENTS)
    assert reading.plan.cannot == "unclear"
    plan = draft_plan(reading, AGENTS, make_drafter(InProcess(choose), ("ask",)))
    assert plan.runs[0].request["assay_goal"] == "potency"
    assert plan.runs[0].request["modality"] == "CAR-T"  # the question's own word wins
    assert plan.warnings == ("read_by_model: the language model read assay goal as potency.",)


def test_refusals_and_forms_of_the_rules_are_settled() -> None:
    library = open_library(starter_home())
    for text in ("Should I take warfarin?", "Alert me about ivonescimab"):
        model = InProcess(make_asker({text: ("deal-sourcing", "ivonescimab", "")}))
        reading = read_question(text, library, AGENTS)
        assert draft_plan(reading, AGENTS, make_drafter(model, ("ask",))) == reading.plan
        assert model.n == 0


def test_liars_bring_no_sentence_cell_name_or_run_and_caps_hold() -> None:
    library, digests = open_library(starter_home()), make_digests(starter_home())
    began = time.process_time()
    assert {*tell_lies(library, digests, 4)} == {"answers", "taken"}
    assert time.process_time() - began < 60


def test_a_liar_may_not_loop() -> None:
    library = open_library(starter_home())
    model = InProcess(make_liar("nine runs"))
    drafter = make_drafter(model, ("ask",))
    for text in (QUESTION, MISREAD, "competitors in TROP2 ADCs", "What does Akeso have?") * 3:
        draft_plan(read_question(text, library, AGENTS), AGENTS, drafter)
    assert model.n <= MOST_CALLS


def test_closed_fields_never_choose_a_model() -> None:
    fields = {name: closed_fields(agent) for name, agent in all_agents().items()}
    assert all("model" not in closed for closed in fields.values())
    assert fields["assay-development"].keys() == {"modality", "assay_goal", "development_stage"}
    assert fields["competitive-landscaping"] == {}
