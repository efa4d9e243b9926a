"""What holds for every agent: one test a promise, every declared agent its parameter.

Nothing here names an agent. `test_new_agent.py` runs this file on a twelfth one.
"""

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import openpyxl
import pypdf
import pytest
from httpx import Response
from pptx import Presentation
from starlette.testclient import TestClient

from api.cli import main
from api.service import make_service
from api.startup import open_workbench
from core.agent import Agent, Example
from core.registry import all_agents
from core.reports.document import About, Document, TableReader
from core.reports.text import readable
from core.settings import Settings
from core.workbench import RunContext, Workbench
from tests.contract.form import (
    bare_objects,
    echoes,
    loose_citations,
    read_hints,
    type_name,
    wrong_warnings,
)
from tests.contract.tables import SPECIFIED, table_of

ROOT = Path(__file__).resolve().parents[2]
AGENTS = tuple(all_agents().values())
EXAMPLES = [(agent, example) for agent in AGENTS for example in agent.examples]
HEAVY = {
    "anndata",
    "fastapi",
    "numpy",
    "pandas",
    "pyarrow",
    "pydeseq2",
    "rdkit",
    "scipy",
    "sqlalchemy",
    "streamlit",
}
MOST_WARNINGS = 3

pytestmark = pytest.mark.xdist_group("agents")  # each example runs once

each_agent = pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """Return the workbench that every run of this module shares."""
    home = tmp_path_factory.mktemp("contract") / "instance"
    settings = Settings(
        home=home, database_url=f"sqlite:///{home / 'workbench.db'}", computing_workers=2
    )
    with open_workbench(settings) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(workbench: Workbench) -> TestClient:
    """Return a client with a key."""
    user = workbench.stores.users.create("program", "correct horse battery", "api-only")
    _, key = workbench.stores.keys.create(user.user_id, "contract tests")
    return TestClient(make_service(), headers={"Authorization": f"Bearer {key}"})


@pytest.fixture(scope="module")
def run_once(client: TestClient) -> Callable[[Agent, Example], Response]:
    """Return what runs an example in a real child, the first time it is asked to."""

    @cache
    def run(agent: str, example: int) -> Response:
        body = all_agents()[agent].examples[example].request
        return client.post(f"/v1/agents/{agent}", json=body)

    return lambda agent, example: run(agent.name, agent.examples.index(example))


@pytest.fixture(scope="module", params=EXAMPLES, ids=lambda pair: f"{pair[0].name}-{pair[1].name}")
def ran(request: pytest.FixtureRequest, run_once) -> tuple[Agent, Example, Response]:
    """Return an agent, one of its examples, and its answer."""
    agent, example = request.param
    return agent, example, run_once(agent, example)


def response_schema(agent: Agent, description: dict[str, Any]) -> dict[str, Any]:
    operation = description["paths"][f"/v1/agents/{agent.name}"]["post"]
    found: dict[str, Any] = operation["responses"]["200"]["content"]["application/json"]["schema"]
    return {**found, "components": description["components"]}


@each_agent
def test_one_name_everywhere(agent: Agent, description, capsys) -> None:
    assert agent.name == agent.slug.replace("_", "-") == agent.name.lower()
    assert (ROOT / "core" / "agents" / agent.slug / "__init__.py").is_file()
    assert (ROOT / "pages" / f"{agent.slug}.py").is_file()
    operation = description["paths"][f"/v1/agents/{agent.name}"]["post"]
    assert operation["operationId"] == f"run_{agent.slug}"
    assert main(["list"]) == 0
    assert agent.name in capsys.readouterr().out.splitlines()


@each_agent
def test_agent_has_tests_of_its_own(agent: Agent) -> None:
    folder = ROOT / "tests" / "core" / "agents" / agent.slug
    assert list(folder.glob("test_*.py"))


@each_agent
def test_pipeline_and_report_take_and_give_the_declared_models(
    agent: Agent, workbench: Workbench
) -> None:
    hints = workbench.executor.call(read_hints, agent.name)
    assert hints["run"] == {
        "request": type_name(agent.request),
        "context": type_name(RunContext),
        "return": type_name(agent.data),
    }
    assert hints["compose"] == {
        "data": type_name(agent.data),
        "tables": type_name(TableReader),
        "about": type_name(About),
        "return": type_name(Document),
    }


@each_agent
def test_declaration_reads_well(agent: Agent) -> None:
    assert agent.summary.endswith(".")
    assert "\n" not in agent.title + agent.summary
    assert agent.group in {"Landscape and deals", "Strategy", "Data"}
    assert len(set(agent.steps)) == len(agent.steps) > 0
    assert set(agent.file_fields.values()) <= set(agent.request.model_fields)


@each_agent
def test_examples_are_requests_with_a_line_that_names_them(agent: Agent) -> None:
    assert len({example.name for example in agent.examples}) == len(agent.examples) > 0
    for example in agent.examples:
        label = agent.label(agent.request.model_validate(example.request))
        assert 0 < len(label) <= 200
        assert label.isprintable()


@each_agent
def test_every_request_field_is_explained(agent: Agent) -> None:
    unsaid = [name for name, info in agent.request.model_fields.items() if not info.description]
    assert unsaid == []


@each_agent
def test_answer_schema_names_every_inner_record(agent: Agent, description) -> None:
    schema = response_schema(agent, description)
    data = schema["components"]["schemas"][agent.data.__name__]
    request = schema["components"]["schemas"][agent.request.__name__]
    kept = getattr(table_of(agent.slug), "ECHOED", ()) if agent.name in SPECIFIED else ()
    bare = {path for path in bare_objects(data, schema) if not set(kept) & set(path.split("."))}
    assert bare <= echoes(request, schema)


def test_example_answers_as_the_description_says(ran, description) -> None:
    agent, _, answer = ran
    assert answer.status_code == 200, answer.text
    body = answer.json()
    checker = jsonschema.Draft202012Validator(response_schema(agent, description))
    assert [error.message for error in checker.iter_errors(body)] == []
    assert set(body) == {"ok", "agent", "data", "elapsed_s", "run_id"}
    assert (body["ok"], body["agent"]) == (True, agent.name)


def test_example_warns_little_and_each_warning_begins_with_its_code(ran) -> None:
    data = ran[2].json()["data"]
    assert len(data.get("warnings", [])) <= MOST_WARNINGS
    assert wrong_warnings(data) == []


def test_citations_of_an_example_lead_to_its_sources(ran) -> None:
    assert loose_citations(ran[2].json()["data"]) == []


def test_example_reports_its_declared_steps_in_order(ran, client: TestClient) -> None:
    agent, _, answer = ran
    steps = client.get(f"/v1/runs/{answer.json()['run_id']}").json()["steps"]
    told = [step["step"] for step in steps]
    assert told == [step for step in agent.steps if step in told]
    assert told
    assert all(step["done"] == step["total"] for step in steps)


def test_example_is_answered_from_the_store_when_asked(ran, client: TestClient) -> None:
    agent, example, answer = ran
    if "use_cache" not in agent.request.model_fields:
        pytest.skip("this agent takes no use_cache")
    again = client.post(f"/v1/agents/{agent.name}", json=example.request | {"use_cache": True})
    first, second = answer.json(), again.json()
    assert (second["run_id"], second["data"]["cached"]) == (first["run_id"], True)
    assert second["data"] | {"cached": False} == first["data"]


def test_tables_of_an_example_are_served_whole(ran, client: TestClient) -> None:
    run = client.get(f"/v1/runs/{ran[2].json()['run_id']}").json()
    for table in run["tables"]:
        served = client.get(f"{table['url']}?format=json&limit=100000").json()
        assert served["total"] == len(served["rows"]) == table["rows"]


@each_agent
def test_columns_by_which_runs_are_compared_are_in_their_table(
    agent: Agent, run_once, client: TestClient
) -> None:
    if agent.compared is None:
        pytest.skip("runs of this agent are not compared")
    run_id = run_once(agent, agent.examples[0]).json()["run_id"]
    run = client.get(f"/v1/runs/{run_id}").json()
    table = next(one for one in run["tables"] if one["name"] == agent.compared.table)
    header = client.get(f"{table['url']}?format=csv&limit=1").text.splitlines()[0].split(",")
    assert {agent.compared.key, *agent.compared.columns} <= set(header)


@each_agent
def test_report_opens_in_every_form(agent: Agent, run_once, client: TestClient) -> None:
    run_id = run_once(agent, agent.examples[0]).json()["run_id"]
    forms = ("md", "pdf", "json", "xlsx", "pptx")
    reports = {form: read_report(client, run_id, form) for form in forms}
    title = readable(agent.label(agent.request.model_validate(agent.examples[0].request)))
    question, _, agent_line, *_ = reports["md"].decode().splitlines()
    assert question.replace("\\", "") == f"# {title}"
    assert agent_line.startswith(agent.title)
    slides = Presentation(io.BytesIO(reports["pptx"])).slides
    first = [one.text_frame.text for one in slides[0].shapes if one.has_text_frame]
    assert title in first
    book = openpyxl.load_workbook(io.BytesIO(reports["xlsx"]), read_only=True)
    sheet = [str(cell) for row in book["Report"].iter_rows(values_only=True) for cell in row]
    front = pypdf.PdfReader(io.BytesIO(reports["pdf"])).pages[0].extract_text()
    for label, value in read_tiles(reports["md"].decode()):
        assert any(one.startswith(f"{label}\n{value}") for one in first)
        assert sheet[sheet.index(label) + 1].startswith(value)
        assert value in front
    pages = pypdf.PdfReader(io.BytesIO(reports["pdf"])).pages
    assert run_id in "".join(page.extract_text() for page in pages)
    assert json.loads(reports["json"])["run_id"] == run_id
    assert openpyxl.load_workbook(io.BytesIO(reports["xlsx"]), read_only=True).sheetnames


def read_tiles(text: str) -> list[tuple[str, str]]:
    """Return label and value of the figures with which a report in Markdown opens."""
    lines = [*text.partition("\n## ")[0].replace("\\", "").splitlines(), ""]
    if "| Figure | Value | Note |" not in lines:
        return []
    rows = lines[lines.index("| Figure | Value | Note |") + 2 :]
    cells = (row.strip("| ").split(" | ") for row in rows[: rows.index("")])
    return [(row[0], row[1]) for row in cells]


def read_report(client: TestClient, run_id: str, form: str) -> bytes:
    answer = client.get(f"/v1/runs/{run_id}/report.{form}")
    assert answer.status_code == 200, answer.text
    assert run_id[:8] in answer.headers["content-disposition"]
    return answer.content


_IMPORT = """
import json, sys, time
began = time.process_time()
from core.registry import all_agents
names = list(all_agents())
elapsed_s = time.process_time() - began  # neighbors on the machine do not count
tops = sorted({name.partition(".")[0] for name in sys.modules})
print(json.dumps({"names": names, "elapsed_s": elapsed_s, "modules": tops}))
"""


def test_declarations_load_within_a_second_and_nothing_heavy() -> None:
    shown = [
        subprocess.run(
            [sys.executable, "-c", _IMPORT], cwd=ROOT, capture_output=True, check=True, timeout=60
        ).stdout
        for _ in range(3)
    ]
    found = [json.loads(line) for line in shown]
    assert found[0]["names"] == [agent.name for agent in AGENTS]
    assert HEAVY & set(found[0]["modules"]) == set()
    assert min(one["elapsed_s"] for one in found) < 1
