"""The workbench as tools: the protocol's public client, hostile messages, rights, quota."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.testclient import TestClient

from api.mcp_tools import MOST_BYTES, READERS, cut
from api.service import make_service
from api.startup import open_workbench
from core.agent import Agent
from core.records.evidence_pack import ImportedFile
from core.records.runs import READ, Caller
from core.registry import all_agents
from core.settings import Settings
from core.workbench import Workbench
from tests.core.agents.company_asset_searcher import conftest as portfolio
from tests.instances import link, starter_home

MODES = ("2026-07-28", "legacy")
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
Work = Callable[[Client], Awaitable[Any]]


def talk(service: Starlette, key: str, work: Work, mode: str = MODES[0]) -> Any:
    """Return what work does as the public client of a service in this process."""

    async def connected() -> Any:
        transport = httpx2.ASGITransport(app=service)
        headers = {"Authorization": f"Bearer {key}"}
        async with (
            httpx2.AsyncClient(transport=transport, headers=headers, timeout=120) as http,
            Client(
                streamable_http_client("http://localhost/mcp", http_client=http), mode=mode
            ) as client,
        ):
            return await work(client)

    return asyncio.run(connected())


def said(result: Any) -> str:
    """Return the text of a result."""
    return "\n".join(part.text for part in result.content)


def send(client: TestClient, method: str, **params: Any) -> dict[str, Any]:
    """Return the answer to a request without a version."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = client.post("/mcp", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("mode", MODES)
def test_the_public_client_lists_runs_and_pages_through_ten_thousand_rows(
    service: Starlette, key: str, probe: Agent, mode: str
) -> None:
    async def work(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {*all_agents(), *READERS}
        assert tools[probe.name].input_schema["properties"]["count"]["maximum"] == 30
        ran = await client.call_tool(probe.name, {"count": 25, "repeat": 400})
        assert not ran.is_error
        run_id = ran.structured_content["run_id"]
        assert ran.structured_content["tables"] == {"squares": 10_000}
        rows, offset = [], 0
        while offset is not None:
            page = await client.call_tool(
                "read_table",
                {"run_id": run_id, "table": "squares", "limit": 500, "offset": offset},
            )
            rows += re.findall(r"^(\d+),", said(page), re.MULTILINE)
            assert len(said(page).encode()) <= MOST_BYTES
            offset = page.structured_content["next_offset"]
        assert rows == [str(number) for number in range(1, 10_001)]
        (resource,) = (await client.list_resources()).resources
        read = await client.read_resource(resource.uri)
        assert read.contents[0].text == said(await client.call_tool("read_run", {"run_id": run_id}))
        with pytest.raises(MCPError):
            await client.call_tool("no-such-tool", {})

    talk(service, key, work, mode)


def test_what_is_wrong_with_a_call_is_its_result(
    service: Starlette, key: str, probe: Agent
) -> None:
    async def work(client: Client) -> list[Any]:
        calls = (
            (probe.name, {"count": "three", "colour": 1}),
            (probe.name, {"action": "refuse"}),
            ("read_table", {"run_id": "none", "table": "squares"}),
            ("read_run", {}),
            ("read_record", {"record_id": "ctgov:none"}),
            ("search_evidence", {"query": "alphamab", "since": "2020-99-99"}),
        )
        return [await client.call_tool(name, arguments) for name, arguments in calls]

    results = talk(service, key, work)
    assert all(result.is_error for result in results)
    assert "count" in said(results[0])
    assert "colour" in said(results[0])
    codes = [result.structured_content["error"]["code"] for result in results[2:]]
    assert codes == ["not_found", "missing_field", "not_found", "invalid_value"]


def test_a_long_run_is_read_later(
    service: Starlette, key: str, probe: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.mcp_tools.WAIT_S", 0.2)

    async def work(client: Client) -> tuple[Any, Any]:
        first = await client.call_tool(probe.name, {"action": "sleep", "seconds": 2})
        later = first
        while later.structured_content["status"] in {"queued", "running"}:
            later = await client.call_tool(
                "read_run", {"run_id": first.structured_content["run_id"]}
            )
        return first, later

    first, later = talk(service, key, work)
    assert first.structured_content["status"] in {"queued", "running"}
    assert later.structured_content["status"] == "completed"


def test_evidence_is_searched_and_read(service: Starlette, workbench: Workbench, key: str) -> None:
    with workbench.stores.evidence.next_generation() as writer:
        writer.add(portfolio.records())
        writer.finish_file(ImportedFile("a.json", "test", "0" * 64, "2026-11-21T12:00:00", 1, 0))

    async def work(client: Client) -> tuple[Any, Any, Any]:
        found = await client.call_tool("search_evidence", {"query": "alphamab"})
        record_id = re.findall(r"^- (\S+):\s", said(found), re.MULTILINE)[0]
        record = await client.call_tool("read_record", {"record_id": record_id})
        nothing = await client.call_tool("search_evidence", {"query": 'no* OR "such" AND )('})
        return found, record, nothing

    found, record, nothing = talk(service, key, work)
    assert found.structured_content["records"] > 0
    assert "alphamab" in said(record)
    assert "http" in said(record) or "/record?id=" in said(record)
    assert (nothing.is_error, nothing.structured_content) == (False, {"records": 0})


def test_a_text_is_checked_once_and_an_unknown_upload_is_refused(
    starter: tuple[Starlette, str],
) -> None:
    async def work(client: Client) -> list[Any]:
        text = "Zolbetuximab was approved by the FDA in 2019. Osimertinib inhibits EGFR."
        calls = ({"text": text}, {"file_id": "none"}, {}, {"text": "a", "file_id": "b"})
        return [await client.call_tool("check_document", arguments) for arguments in calls]

    checked, *refused = talk(*starter, work)
    assert not checked.is_error
    assert sum(checked.structured_content["counts"].values()) == 2
    assert "Zolbetuximab" in said(checked)
    assert [result.is_error for result in refused] == [True] * 3


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Starlette, str]]:
    """Yield a service with the starter pack, and a key."""
    home = link(starter_home(), tmp_path_factory.mktemp("mcp") / "home")
    chosen = Settings(home=home, database_url=f"sqlite:///{home / 'workbench.db'}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("storage.users.PASSWORD_ROUNDS", 4)
        with open_workbench(chosen) as workbench:
            user = workbench.stores.users.create("carla", "correct horse battery")
            yield make_service(), workbench.stores.keys.create(user.user_id, "tools")[1]


@pytest.mark.timeout(300)
def test_all_agents_answer_within_bounds_and_name_the_rest(starter: tuple[Starlette, str]) -> None:
    service, key = starter
    examples = {agent.name: agent.examples[0].request for agent in all_agents().values()}

    async def work(client: Client) -> dict[str, Any]:
        answers = await asyncio.gather(
            *(client.call_tool(name, request) for name, request in examples.items())
        )
        return dict(zip(examples, answers, strict=True))

    answers = talk(service, key, work)
    for name, answer in answers.items():
        assert not answer.is_error, (name, said(answer))
        assert len(said(answer).encode()) <= MOST_BYTES
        values = answer.structured_content
        if values["next_offset"] is not None:
            assert f'"offset": {values["next_offset"]}' in said(answer)
    text = said(answers["competitive-landscaping"])
    assert "](<https://" in text
    cited = {number for number in re.findall(r"\\?\[(\d+)\\?\]", text)}
    listed = set(re.findall(r"^- \[(\d+)\]", text, re.MULTILINE))
    assert cited == listed


def test_the_parts_of_a_text_are_the_text() -> None:
    text = "".join(f"{number} β\n" for number in range(3_000)) + "x" * 5_000
    parts, offset = [], 0
    while offset < len(text):
        part, offset = cut(text, offset, 1_000)
        assert 0 < len(part.encode()) <= 1_000
        parts.append(part)
    assert "".join(parts) == text


def test_a_key_that_reads_starts_changes_and_uploads_nothing(
    service: Starlette, workbench: Workbench, anna: Caller, client: TestClient, probe: Agent
) -> None:
    run_id = client.post(f"/v1/agents/{probe.name}", json={}).json()["run_id"]
    _, key = workbench.stores.keys.create(anna.user_id, "reader", scopes=[READ])
    reader = TestClient(service, headers={"Authorization": f"Bearer {key}"})
    tools = send(reader, "tools/list")["result"]["tools"]
    assert {tool["name"] for tool in tools} == {*READERS} - {"check_document"}
    ran = send(reader, "tools/call", name=probe.name, arguments={})["result"]
    assert (ran["isError"], ran["structuredContent"]["error"]["code"]) == (True, "out_of_scope")
    read = send(reader, "tools/call", name="read_run", arguments={"run_id": run_id})["result"]
    assert not read["isError"]
    assert reader.get(f"/v1/runs/{run_id}").status_code == 200
    refused = (
        reader.post(f"/v1/agents/{probe.name}", json={}),
        reader.patch(f"/v1/runs/{run_id}", json={"title": "mine"}),
        reader.delete(f"/v1/runs/{run_id}"),
        reader.post("/v1/files", files={"file": b"a,b\n1,2\n"}),
    )
    assert {answer.status_code for answer in refused} == {401}
    assert client.get(f"/v1/runs/{run_id}").json()["run"]["title"] != "mine"


def test_runs_of_others_do_not_exist(
    client: TestClient, stranger: TestClient, anonymous: TestClient, probe: Agent
) -> None:
    run_id = client.post(f"/v1/agents/{probe.name}", json={}).json()["run_id"]
    for name in ("read_run", "read_table"):
        arguments = (
            {"run_id": run_id, "table": "squares"} if name == "read_table" else {"run_id": run_id}
        )
        result = send(stranger, "tools/call", name=name, arguments=arguments)["result"]
        assert result["structuredContent"]["error"]["code"] == "not_found"
    assert send(stranger, "resources/list")["result"]["resources"] == []
    assert "error" in send(stranger, "resources/read", uri=f"bpw://runs/{run_id}")
    answer = anonymous.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert anonymous.get("/mcp").status_code == 405


def test_eight_clients_at_once_use_the_quota_up_and_no_more(
    tmp_path: Path, extra_agents: None, probe: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.users.PASSWORD_ROUNDS", 4)
    chosen = Settings(home=tmp_path / "home", quota_runs=6)
    with open_workbench(chosen) as workbench:
        user = workbench.stores.users.create("dora", "correct horse battery")
        key = workbench.stores.keys.create(user.user_id, "tools")[1]
        service = make_service()

        def call(number: int) -> dict[str, Any]:
            client = TestClient(service, headers={"Authorization": f"Bearer {key}"})
            arguments = {"word": f"w{number}"}
            return send(client, "tools/call", name=probe.name, arguments=arguments)["result"]

        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(call, range(16)))
    done = [result for result in results if not result["isError"]]
    codes = {each["structuredContent"]["error"]["code"] for each in results if each["isError"]}
    assert (len(done), codes) == (6, {"quota_exceeded"})


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ("tools/call", "tools/list", "resources/read", "initialize", "ping", "server/discover", "x")
)
MESSAGES = st.one_of(
    ODD,
    st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0") | ODD, "id": st.integers() | ODD, "method": NAMES | ODD},
        optional={"params": ODD},
    ),
    st.fixed_dictionaries(
        {
            "jsonrpc": st.just("2.0"),
            "id": st.integers(),
            "method": st.just("tools/call"),
            "params": st.fixed_dictionaries(
                {
                    "name": st.sampled_from(sorted(READERS)) | ODD,
                    "arguments": st.dictionaries(
                        st.sampled_from(
                            ("run_id", "table", "offset", "limit", "sort", "filters", "query")
                        )
                        | st.text(max_size=8),
                        ODD,
                        max_size=4,
                    )
                    | ODD,
                }
            ),
        }
    ),
)


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(message=MESSAGES, version=st.sampled_from((None, *MODES, "2025-11-25", "1999-01-01")))
def test_hostile_messages_get_clean_errors(
    client: TestClient, message: Any, version: str | None
) -> None:
    headers = {"Content-Type": "application/json"}
    headers |= {"MCP-Protocol-Version": version} if version else {}
    answer = client.post("/mcp", content=json.dumps(message), headers=headers)
    assert answer.status_code in {200, 202, 400, 404}
    if answer.status_code == 202:
        assert answer.content == b""
        return
    body = answer.json()
    assert body["jsonrpc"] == "2.0"
    assert ("result" in body) != ("error" in body)
    assert body.get("error", {}).get("code") != -32603, body


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"{", -32700),
        (b"[]", -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "id": 2}', -32700),
        (b"[" * 100_000, -32700),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}', -32602),
    ],
)
def test_bytes_that_are_no_message(client: TestClient, content: bytes, code: int) -> None:
    answer = client.post("/mcp", content=content, headers={"Content-Type": "application/json"})
    assert answer.json()["error"]["code"] == code


@pytest.mark.parametrize(
    ("headers", "meta", "code"),
    [
        ({"Mcp-Method": "tools/call"}, META, -32020),
        ({"Mcp-Method": "ping", "MCP-Protocol-Version": "2030-01-01"}, META, -32022),
        ({"Mcp-Method": "ping"}, {}, -32602),
        ({"Mcp-Method": "ping"}, META, 0),
    ],
)
def test_a_stateless_request_agrees_with_its_headers(
    client: TestClient, headers: dict[str, str], meta: dict[str, Any], code: int
) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": meta}}
    sent = {"MCP-Protocol-Version": "2026-07-28", **headers}
    answer = client.post("/mcp", json=body, headers=sent)
    assert answer.json().get("error", {"code": 0})["code"] == code
    assert (answer.status_code == 400) == bool(code)
