"""openapi.json against the specification: version, security, statuses, every field of a table."""

from collections import Counter
from pathlib import Path
from typing import Any

import openapi_spec_validator
import pytest

from core.agent import Agent
from core.registry import all_agents
from tests.contract.tables import NOTHING, SPECIFIED, Row, field_at, kinds, table_of, type_of, walk

AGENTS = tuple(all_agents().values())
TABLED = tuple(agent for agent in AGENTS if agent.name in SPECIFIED)
TABLES = {agent.name: table_of(agent.slug) for agent in TABLED}
STATUSES = {"200", "400", "401", "402", "500", "504"}
NAMES = Path(__file__).with_name("schema_names.txt")
SERVICE = {
    "ask": ("post", "/v1/ask"),
    "check_document": ("post", "/v1/documents/check"),
    "upload_file": ("post", "/v1/files"),
    "list_files": ("get", "/v1/files"),
    "delete_file": ("delete", "/v1/files/{file_id}"),
    "start_run": ("post", "/v1/runs"),
    "list_runs": ("get", "/v1/runs"),
    "get_run": ("get", "/v1/runs/{run_id}"),
    "rename_run": ("patch", "/v1/runs/{run_id}"),
    "cancel_or_delete_run": ("delete", "/v1/runs/{run_id}"),
    "watch_run": ("get", "/v1/runs/{run_id}/events"),
    "get_table": ("get", "/v1/runs/{run_id}/tables/{name}"),
    "get_run_file": ("get", "/v1/runs/{run_id}/files/{name}"),
    "get_report": ("get", "/v1/runs/{run_id}/report.{fmt}"),
    "list_lists": ("get", "/v1/lists"),
    "create_list": ("post", "/v1/lists"),
    "change_list": ("patch", "/v1/lists/{list_id}"),
    "delete_list": ("delete", "/v1/lists/{list_id}"),
    "share_run": ("post", "/v1/runs/{run_id}/shares"),
    "list_shares": ("get", "/v1/runs/{run_id}/shares"),
    "end_share": ("delete", "/v1/runs/{run_id}/shares/{share_id}"),
    "compare_runs": ("get", "/v1/runs/{run_id}/compare/{other_id}"),
    "list_hits": ("get", "/v1/alerts/hits"),
    "mark_hits_seen": ("post", "/v1/alerts/hits/seen"),
    "get_digest": ("get", "/v1/alerts/digest"),
    "get_calendar": ("get", "/v1/alerts/calendar"),
    "preview_alert": ("get", "/v1/alerts/{query_id}/preview"),
    "get_evidence": ("get", "/v1/evidence"),
    "snooze_hit": ("patch", "/v1/alerts/hits/{hit_id}"),
    "mute_alert": ("patch", "/v1/alerts/{query_id}"),
    "list_damages": ("get", "/v1/evidence/damages"),
    "get_record": ("get", "/v1/evidence/records/{record_id}"),
    "import_evidence": ("post", "/v1/evidence/imports"),
    "get_import": ("get", "/v1/evidence/imports"),
    "export_evidence": ("post", "/v1/evidence/exports"),
    "download_evidence": ("get", "/v1/evidence/exports/{name}"),
    "list_syncs": ("get", "/v1/evidence/syncs"),
    "start_sync": ("post", "/v1/evidence/syncs"),
    "get_account": ("get", "/v1/account"),
    "list_keys": ("get", "/v1/keys"),
    "create_key": ("post", "/v1/keys"),
    "rotate_key": ("post", "/v1/keys/{key_id}/rotate"),
    "revoke_key": ("delete", "/v1/keys/{key_id}"),
    "list_users": ("get", "/v1/users"),
    "invite_user": ("post", "/v1/users"),
    "change_user": ("patch", "/v1/users/{user_name}"),
    "delete_user": ("delete", "/v1/users/{user_name}"),
    "reset_user": ("post", "/v1/users/{user_name}/reset"),
    "end_sessions": ("delete", "/v1/users/{user_name}/sessions"),
    "remove_factor": ("delete", "/v1/users/{user_name}/factor"),
    "link_user": ("put", "/v1/users/{user_name}/sign-on"),
    "unlink_user": ("delete", "/v1/users/{user_name}/sign-on"),
    "list_audit": ("get", "/v1/audit"),
    "list_projects": ("get", "/v1/projects"),
    "create_project": ("post", "/v1/projects"),
    "get_project": ("get", "/v1/projects/{project_id}"),
    "add_note": ("post", "/v1/projects/{project_id}/notes"),
    "rename_project": ("patch", "/v1/projects/{project_id}"),
    "set_member": ("put", "/v1/projects/{project_id}/members/{user_name}"),
    "remove_member": ("delete", "/v1/projects/{project_id}/members/{user_name}"),
    "add_block": ("post", "/v1/projects/{project_id}/blocks"),
    "change_block": ("patch", "/v1/projects/{project_id}/blocks/{block_id}"),
    "move_block": ("post", "/v1/projects/{project_id}/blocks/{block_id}/move"),
    "delete_block": ("delete", "/v1/projects/{project_id}/blocks/{block_id}"),
    "add_comment": ("post", "/v1/projects/{project_id}/blocks/{block_id}/comments"),
    "delete_comment": ("delete", "/v1/projects/{project_id}/comments/{comment_id}"),
    "delete_project": ("delete", "/v1/projects/{project_id}"),
    "export_project": ("get", "/v1/projects/{project_id}/export.{fmt}"),
    "list_agents": ("get", "/v1/agents"),
    "get_health": ("get", "/v1/health"),
}
OPEN = {"list_agents", "get_health"}
ERROR = {"$ref": "#/components/schemas/ErrorEnvelope"}

each_agent = pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
each_tabled_agent = pytest.mark.parametrize("agent", TABLED, ids=lambda agent: agent.name)


def operations(description: dict[str, Any]) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Return every operation by its id, with method and path."""
    found = [
        (operation["operationId"], (method, path, operation))
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]
    assert max(Counter(name for name, _ in found).values()) == 1
    return dict(found)


def operation_of(agent: Agent, description: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = description["paths"][f"/v1/agents/{agent.name}"]["post"]
    return found


def test_description_is_valid(description) -> None:
    openapi_spec_validator.validate(description)


def test_description_names_its_versions(description) -> None:
    assert description["openapi"] == "3.1.0"
    assert description["info"]["version"] == "1.0.0"


def test_key_is_a_bearer_token(description) -> None:
    schemes = description["components"]["securitySchemes"]
    assert schemes == {"bearerAuth": {"type": "http", "scheme": "bearer"}}


def test_operations_are_those_of_the_contract(description) -> None:
    agents = {f"run_{agent.slug}": ("post", f"/v1/agents/{agent.name}") for agent in AGENTS}
    shown = {name: found[:2] for name, found in operations(description).items()}
    assert shown == agents | SERVICE


def test_every_operation_but_the_open_ones_asks_for_the_key(description) -> None:
    for name, (_, _, operation) in operations(description).items():
        wanted = None if name in OPEN else [{"bearerAuth": []}]
        assert operation.get("security") == wanted, name


def test_every_failure_is_the_one_error_body(description) -> None:
    for name, (_, _, operation) in operations(description).items():
        assert "422" not in operation["responses"], name
        for status, response in operation["responses"].items():
            if status >= "400":
                assert response["content"] == {"application/json": {"schema": ERROR}}, name


def test_schemas_have_public_names_and_titles_of_their_own(description) -> None:
    schemas = description["components"]["schemas"]
    assert [name for name in schemas if "__" in name] == []
    titles = Counter(schema["title"] for schema in schemas.values() if "title" in schema)
    assert [title for title, times in titles.items() if times > 1] == []
    bare = Counter("".join(filter(str.isalnum, name)).casefold() for name in schemas)
    assert [name for name, times in bare.items() if times > 1] == []


def test_generators_find_a_name_for_every_body(description) -> None:
    """A generated client types what has a name, and knows no other media types than these."""
    readable = ("application/json", "application/octet-stream", "text/")
    for name, (_, _, operation) in operations(description).items():
        assert name.isidentifier()
        bodies = [operation.get("requestBody", {}), operation["responses"].get("200", {})]
        for content in (body.get("content", {}) for body in bodies):
            assert (
                not content
                or any(kind.startswith(readable) for kind in content)
                or ("multipart/form-data" in content)
            ), name
            schema = content.get("application/json", {}).get("schema")
            assert schema is None or "$ref" in schema or name == "get_table", name


def test_public_names_of_schemas_never_change(description) -> None:
    """A line is a type of clients with its fields; add new ones at their place in the alphabet."""
    schemas = description["components"]["schemas"]
    published = [line.split() for line in NAMES.read_text(encoding="utf-8").splitlines()]
    assert [name for name, *_ in published] == sorted(name for name, *_ in published)
    lost = {
        name: missing
        for name, *fields in published
        if (missing := set(fields) - set(schemas.get(name, {}).get("properties", {})))
        or name not in schemas
    }
    assert lost == {}


@each_agent
def test_operation_of_an_agent_is_that_of_the_contract(agent: Agent, description) -> None:
    operation = operation_of(agent, description)
    body = operation["requestBody"]
    answer = operation["responses"]["200"]["content"]
    examples = body["content"]["application/json"]["examples"]
    reference = answer["application/json"]["schema"]["$ref"]
    envelope = description["components"]["schemas"][reference.rsplit("/", 1)[1]]
    names = {"ok", "agent", "data", "elapsed_s", "run_id"}
    differences = [
        f"{what}: {shown!r}, specified {specified!r}"
        for what, shown, specified in (
            ("statuses", set(operation["responses"]), STATUSES),
            ("body is required", body["required"], True),
            ("types of the body", list(body["content"]), ["application/json"]),
            ("types of the answer", list(answer), ["application/json"]),
            ("has parameters", "parameters" in operation, False),
            (
                "examples",
                {name: example["value"] for name, example in examples.items()},
                {example.name: example.request for example in agent.examples},
            ),
            ("fields of the envelope", set(envelope["properties"]), names),
            ("required fields of the envelope", set(envelope["required"]), names),
        )
        if shown != specified or type(shown) is not type(specified)
    ]
    assert differences == []


def test_error_body_is_complete(description) -> None:
    schemas = description["components"]["schemas"]
    names = {"ok", "agent", "error", "elapsed_s", "run_id", "request_id"}
    assert set(schemas["ErrorEnvelope"]["required"]) == names
    assert set(schemas["ErrorBody"]["required"]) == {"type", "code", "message", "details"}
    assert set(schemas["ErrorDetail"]["required"]) == {"field", "code", "message"}


def request_schema(agent: Agent, description: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = description["components"]["schemas"][agent.request.__name__]
    return found


@each_tabled_agent
def test_request_and_answer_are_those_of_the_tables(agent: Agent, description) -> None:
    schema = request_schema(agent, description)
    data = description["components"]["schemas"][agent.data.__name__]
    rows = TABLES[agent.name].REQUEST
    differences = [line for row in rows for line in differences_of(row, schema, description)]
    for path, specified in TABLES[agent.name].DATA.items():
        absent = list(walk(path, data, description))
        shown = absent or type_of(field_at(path, data, description), description)
        if shown != specified:
            differences.append(f"{path}: {shown!r}, specified {specified!r}")
    assert differences == []
    assert schema.get("additionalProperties") is False
    assert set(schema.get("required", [])) == {row.name for row in rows if row.required}


def differences_of(row: Row, schema: dict[str, Any], description: dict[str, Any]) -> list[str]:
    """Return where a field of a request differs from its row of the specification."""
    field = schema["properties"].get(row.name)
    if field is None:
        return [f"{row.name}: missing"]
    fields = kinds(field, description)
    if len(fields) != 1:
        return [f"{row.name}: {len(fields)} kinds of value, specified 1"]
    default = field.get("default") if row.default is NOTHING else field.get("default", NOTHING)
    specified = None if row.default is NOTHING else row.default
    compared = [
        ("type", type_of(field, description), row.type),
        ("default", (type(default), default), (type(specified), specified)),
        ("words", set(fields[0].get("enum", ())), set(row.words)),
        *(
            (word, fields[0].get(word), bound)
            for word, bound in (("minimum", row.low), ("maximum", row.high))
            if bound is not None
        ),
    ]
    return [
        f"{row.name}: {what} {shown!r}, specified {expected!r}"
        for what, shown, expected in compared
        if shown != expected
    ]


def test_links_lead_to_operations_with_such_parameters(description) -> None:
    known = operations(description)
    found = [
        (link["operationId"], set(link["parameters"]))
        for _, _, operation in known.values()
        for response in operation["responses"].values()
        for link in response.get("links", {}).values()
    ]
    assert {name for name, _ in found} >= {"get_run", "get_table", "get_run_file", "get_report"}
    for name, parameters in found:
        taken = {parameter["name"] for parameter in known[name][2]["parameters"]}
        assert parameters <= taken
