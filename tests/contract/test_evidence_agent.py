"""An agent on evidence is a few hooks: drugs of a target by stage, with claims, report and page.

The copy of the product with the sample agent is asked to run it on a small pack and to draw its
page; test_new_agent.py holds it against the contract.
"""

import json
from pathlib import Path

import pytest

from tests.contract.conftest import THROWAWAY, ask

SAMPLE = THROWAWAY / "evidence"
MOST_LINES = 170

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("copy")]


def test_it_takes_few_lines() -> None:
    files = [*(SAMPLE / "target_stages").glob("*.py"), SAMPLE / "page.py"]
    assert sum(len(one.read_text().splitlines()) for one in files) <= MOST_LINES


_RUN = """
import json
from streamlit.testing.v1 import AppTest
from api.startup import open_workbench
from core.records.evidence_pack import ImportedFile
from core.records.runs import Caller
from core.registry import all_agents
from core.results import load_view, read_table
from core.runner import run_agent
from tests.core.evidence.assets.conftest import _rows, make_trial
with open_workbench() as bench:
    stores = bench.stores
    stores.identity.build(_rows(), (), "test names")
    with stores.evidence.next_generation() as writer:
        title = "AGO-100, a TIGIT antibody, in NSCLC"
        writer.add([make_trial(1, {"AGO-100": "investigational"}, title=title)])
        at = "2026-11-21T12:00:00+00:00"
        writer.finish_file(ImportedFile("made.json", "test", "0" * 64, at, 1, 0))
    user = stores.users.create("anna", "correct horse battery")
    caller = Caller(user_id=user.user_id, name="anna")
    agent = all_agents()["target-stages"]
    answers = []
    for target in ("TIGIT", "nonsense"):
        run = run_agent(agent, agent.request(target=target), caller, bench)
        test = AppTest.from_file("pages/shell.py", default_timeout=60)
        test.session_state["caller"] = caller
        test.run()
        test.query_params["run"] = run.run_uuid
        test.switch_page("target_stages.py").run()
        view = load_view(run, bench)
        answers.append({
            "data": json.loads(view.model_dump_json(by_alias=True)),
            "facts": read_table(run, "facts", bench).to_dict(orient="records"),
            "lines": read_table(run, "drugs", bench).to_dict(orient="records"),
            "page": [text.value for text in test.markdown],
            "figures": [(one.label, one.value) for one in test.metric],
            "grids": [one.value.to_dict(orient="records") for one in test.dataframe],
            "failed": [text.value for text in test.exception],
        })
    print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers(product: Path) -> list[dict]:
    return json.loads(ask(product, "-c", _RUN).splitlines()[-1])


def test_its_claims_are_proved_and_its_cells_rest_on_facts(answers: list[dict]) -> None:
    data = answers[0]["data"]
    assert data["summary"] == "On TIGIT: 1 phase 2 [1]."
    assert [(one["name"], one["phase"]) for one in data["drugs"]] == [("agonitide", "Phase 2")]
    assert data["drugs"][0]["source_ids"] == [one["id"] for one in data["sources"]]
    assert {one["cell"] for one in answers[0]["facts"]} >= {"target", "company", "stage"}
    assert not any(one.startswith("claims_dropped") for one in data["warnings"])


def test_wire_table_page_and_report_read_the_same_columns(answers: list[dict]) -> None:
    (line,) = answers[0]["lines"]
    assert (line["name"], line["companies"], line["sources"]) == ("agonitide", "Acme Pharma", "1")
    shown = next(one for one in answers[0]["grids"] if "Drug" in one[0])
    assert shown == [
        {"Drug": "agonitide", "Phase": "Phase 2", "Companies": "Acme Pharma", "Sources": "[1]"}
    ]
    assert answers[0]["figures"] == [["Drugs", "1"]]
    assert answers[0]["failed"] == []


def test_what_is_not_understood_is_told(answers: list[dict]) -> None:
    data = answers[1]["data"]
    assert data["drugs"] == []
    assert any(one.startswith("no_match: no record names a target") for one in data["warnings"])
    assert any("None found" in one for one in answers[1]["page"])
    assert answers[1]["failed"] == []
