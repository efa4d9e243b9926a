"""Runs of an instance with a language model: labeled, repeatable, and without its key anywhere."""

import json
import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from api.startup import open_workbench
from core.drafting.ledger import begin_of_month
from core.records.runs import Caller, RunRecord
from core.registry import all_agents
from core.results import answer_body
from core.runner import replay_run, run_agent
from core.settings import Settings, read_settings
from core.workbench import Workbench
from tests.core.agents.competitive_landscaping.conftest import hold, identity_rows
from tests.core.agents.competitive_landscaping.drugs import field_of_three
from tests.core.evidence.loopback import Asked, Sent, as_json, serving
from tests.standin.models import CANARY, KEY
from tests.standin.server import StandIn, serve
from tests.standin.web import found_by

AGENT = all_agents()["competitive-landscaping"]
QUERY = "PD-1/VEGF bispecifics"
SAME = (
    *("drugs", "drug_table", "program_table", "facts", "sources", "source_table", "excluded"),
    *("density", "events", "parsed_query", "completeness", "concentration", "white_space"),
    *("standings", "indication_specific_results", "relevance_criteria"),
)
"""Fields that are equal with and without a model."""


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    with serve(StandIn()) as served:
        yield served


class Instance:
    """An open instance on which the landscape is run."""

    def __init__(self, workbench: Workbench, caller: Caller) -> None:
        self.workbench, self.caller = workbench, caller

    def run(self, query: str = QUERY) -> RunRecord:
        request = AGENT.request.model_validate({"query": query, "query_type": "clinical"})
        run = run_agent(AGENT, request, self.caller, self.workbench)
        assert run.status == "completed"
        return run

    def read(self, run: RunRecord) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(b"".join(answer_body(run, 0.0, self.workbench)))["data"]
        return data


@pytest.fixture
def make_instance(tmp_path: Path) -> tuple[Path, Any]:
    """Return what opens one instance of three drugs with some settings."""
    home = tmp_path / "instance"

    def use(settings: Settings, body: Any) -> Any:
        with open_workbench(settings) as workbench:
            stores = workbench.stores
            if not stores.evidence.version():
                stores.users.create("anna", "correct horse battery")
                stores.identity.build(identity_rows(), (), "test names")
                hold(stores.evidence, field_of_three(), tmp_path)
            return body(Instance(workbench, Caller(user_id=1, name="anna")))

    return home, use


def files_with(folder: Path, text: str) -> list[str]:
    """Return the files below a folder that hold a text, packed ones too."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in paths if text.encode() in unpacked(path.read_bytes())]


def unpacked(content: bytes) -> bytes:
    """Return bytes, and what they are when they are packed."""
    with suppress(zlib.error):
        content += zlib.decompress(content)
    return content


def test_runs_with_a_model_are_labeled_and_repeatable(make_instance, stand_in) -> None:
    home, use = make_instance
    fields = {"model": "local", "model_base_url": f"{stand_in.base_url}/v1", "offline": True}
    settings = Settings.model_validate({"home": home, "model_api_key": KEY, **fields})

    def body(on: Instance) -> None:
        stand_in.script = ("ok", "status 401", "ok")  # the first shows that it follows schemas
        failed = on.run()
        by_rules = on.read(failed)
        assert by_rules["narrative"] == {"mode": "rules"}
        assert by_rules["warnings"][-1].startswith("model_unavailable: ")
        assert replay_run(failed, on.caller, on.workbench).is_equal
        first = on.run()
        data = on.read(first)
        check_drafted(data, by_rules, "local", "default")
        assert replay_run(first, on.caller, on.workbench).is_equal
        again = on.read(on.run())
        assert len(stand_in.bodies) == 3
        counts = dict.fromkeys(("calls", "input_tokens", "output_tokens"), 0)
        assert again["narrative"] == data["narrative"] | counts
        assert again["memo"] == data["memo"]
        now = on.workbench.now()
        lines = on.workbench.stores.model_calls.totals_since(1, begin_of_month(now))
        assert sum(line.calls for line in lines) == 3

    use(settings, body)


def test_the_key_of_a_service_is_written_nowhere(
    make_instance, stand_in, monkeypatch, capfd
) -> None:
    home, use = make_instance
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "Authorization: Bearer other")
    settings = Settings(home=home, model_base_url=stand_in.base_url)

    def body(on: Instance) -> None:
        assert not [name for name in os.environ if name.startswith("ANTHROPIC_")]
        stand_in.script = ("status 529", "ok", "echo")
        data = on.read(on.run())
        assert data["narrative"]["model"] == "claude-sonnet-5-5"
        assert data["usage"]["anthropic"]["calls"] == 2
        answer = on.read(on.run(f"{QUERY} phase 2"))
        assert answer["warnings"][-1].startswith("model_answer_refused: ")
        told = json.dumps([data, answer])
        assert KEY not in told
        assert CANARY not in told

    use(settings, body)
    assert stand_in.faults == []
    assert files_with(home, KEY) == files_with(home, CANARY) == []
    assert KEY not in "".join(capfd.readouterr())


def check_drafted(data: dict[str, Any], by_rules: dict[str, Any], provider: str, name: str) -> None:
    """Check an answer with a model against the same by rules."""
    narrative = data["narrative"]
    assert narrative["mode"] == "language_model"
    assert (narrative["provider"], narrative["model"]) == (provider, name)
    assert narrative["tasks"] == ["select"]
    assert {name: data[name] for name in SAME} == {name: by_rules[name] for name in SAME}
    assert texts_of(data) == texts_of(by_rules)
    assert {claim["text"] for claim in narrative["lead"]} <= {*texts_of(data)}
    counts = {"input_tokens": 120, "output_tokens": 40, "total_tokens": 160}
    assert data["usage"][provider] == {"calls": 1, **counts}
    assert data["usage"]["by_mode"]["clinical"] == counts
    assert data["total_tokens"] == data["runs"]["clinical"]["total_tokens"] == 160
    assert len({"local", "anthropic"} & {*data["usage"]}) == 1


def texts_of(data: dict[str, Any]) -> list[str]:
    return sorted(claim["text"] for section in data["memo"] for claim in section["claims"])


@pytest.mark.parametrize(
    ("fields", "provider"),
    [
        ({}, None),
        ({"anthropic_api_key": KEY}, "anthropic"),
        ({"anthropic_api_key": ""}, None),
        ({"anthropic_api_key": KEY, "model": "rules"}, None),
        ({"anthropic_api_key": KEY, "offline": True}, None),
        ({"model": "local"}, None),
        ({"model": "local", "model_base_url": "http://models.example.org/v1"}, "local"),
        (
            {"model": "local", "model_base_url": "http://models.example.org/v1", "offline": True},
            None,
        ),
        ({"model": "local", "model_base_url": "http://[::1]:8080/v1", "offline": True}, "local"),
    ],
)
def test_a_model_is_asked_only_where_settings_say_so(fields, provider) -> None:
    settings = Settings.model_validate(fields)
    assert settings.model_provider == provider
    assert KEY not in f"{settings!r}{settings.model_dump_json()}"


def test_an_unknown_task_is_refused_by_name(monkeypatch) -> None:
    monkeypatch.setenv("BPW_MODEL_TASKS", "select,write")
    read_settings.cache_clear()
    with pytest.raises(Exception, match="BPW_MODEL_TASKS"):
        read_settings()
    read_settings.cache_clear()


def test_a_run_that_searched_the_web_is_labeled_and_repeatable(make_instance) -> None:
    home, use = make_instance
    names: list[str] = []

    def answer(asked: Asked) -> Sent:
        if asked.path == "/search":
            hit = {"url": f"{site.address}/news", "title": "News", "text": "", "day": "2026-11-02"}
            return as_json(found_by("exa", [hit]))
        if asked.path == "/robots.txt":
            return Sent(status=404)
        words = f"Amgen may buy us. Now {names[0]} entered phase 3. The weather was fine. {CANARY} "
        page = f"<title>News</title><p>{words * 12}</p>"
        return Sent(page.encode(), headers={"Content-Type": "text/html"})

    with serving(answer) as site:
        searching = {
            "home": home,
            "offline": True,
            "web_loopback": True,
            "web_search": "exa",
            "web_search_url": {"exa": site.address},
            "web_search_key": {"exa": KEY},
        }

        def by_rules(on: Instance) -> dict[str, Any]:
            return on.read(on.run())

        before = use(Settings(home=home, offline=True), by_rules)
        names.append(before["drugs"][0]["drug_name"])

        def body(on: Instance) -> None:
            run = on.run()
            data = on.read(run)
            assert {name: data[name] for name in SAME} == {name: before[name] for name in SAME}
            assert data["usage"]["web_search_requests"] > 0
            [row] = data["web_findings"]
            assert (row["drug_name"], row["stage"]) == (names[0], "PHASE3")
            assert (row["status"], row["url"]) == ("web, not confirmed", f"{site.address}/news")
            assert CANARY not in json.dumps(data)
            n_asked = len(site.asked)
            assert replay_run(run, on.caller, on.workbench).is_equal
            assert len(site.asked) == n_asked
            assert {asked.path for asked in site.asked} == {"/search", "/robots.txt", "/news"}

        use(Settings.model_validate(searching), body)
    assert files_with(home, KEY) == []
