"""The interface description: OpenAPI 3.1.0, version 1.0.0, complete and offline.

The framework lists a 422 for every route and knows nothing of the strict body pipeline, so the
description is finished here: request bodies with runnable examples, the six statuses of agent
operations, bearer authentication, one name for every inner record.
"""

from typing import Any, get_args

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from api.account_routes import (
    MOST_LINES,
    ChangeUser,
    LinkUser,
    NewKey,
    NewUser,
    ResetUser,
    RotateKey,
)
from api.evidence_routes import MOST_DAMAGES, MOST_FILES, StartSync
from api.models import RenameRun, StartRun
from api.project_routes import (
    ChangeBlock,
    MemberRole,
    MoveBlock,
    NewBlock,
    NewComment,
    NewNote,
    NewProject,
)
from api.queries import MOST_ROWS
from api.schema_names import name_schemas
from api.workspace_routes import ChangeList, MuteAlert, NewList, SeenHits, ShareRun
from core.agent import Agent
from core.asking.records import AskRequest
from core.evidence.sources.sync.sources import SYNCED
from core.knowledge.event_materiality import CatalystType
from core.records.failure import ErrorEnvelope
from core.records.runs import ADMIN, READ

VERSION = "1.0.0"
_PREFIX = "/v1"
_REF = "#/components/schemas/"
_OFFICE = "application/vnd.openxmlformats-officedocument."
_OFFICE_FORMS = [_OFFICE + "spreadsheetml.sheet", _OFFICE + "presentationml.presentation"]
_MEANINGS = {
    "400": "Invalid input",
    "401": "Missing or invalid API key",
    "402": "Quota exceeded",
    "404": "No such thing, or not yours",
    "405": "Method not allowed",
    "500": "Agent failed",
    "504": "Agent timed out",
}
_NO_NUL = "^[^\\u0000]*$"
_OPEN = {"/health", "/agents"}
_RUN_ID = "$response.body#/run_id"
_FIRST = {
    "get_table": "$response.body#/tables/0/name",
    "get_run_file": "$response.body#/files/0/name",
}
_PROJECT = "$request.path.project_id"
_MADE: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "create_list": ({"list_id": "$response.body#/list/list_id"}, ("change_list", "delete_list")),
    "create_key": ({"key_id": "$response.body#/key/key_id"}, ("rotate_key", "revoke_key")),
    "invite_user": (
        {"user_name": "$response.body#/user/name"},
        ("change_user", "reset_user", "end_sessions", "remove_factor", "delete_user"),
    ),
    "create_project": (
        {"project_id": "$response.body#/project/project_id"},
        ("get_project", "rename_project", "add_note", "add_block", "delete_project"),
    ),
    "add_block": (
        {"project_id": _PROJECT, "block_id": "$response.body#/project/blocks/0/block_id"},
        ("change_block", "move_block", "add_comment", "delete_block"),
    ),
    "add_comment": (
        {
            "project_id": _PROJECT,
            "comment_id": "$response.body#/project/blocks/0/comments/0/comment_id",
        },
        ("delete_comment",),
    ),
}
"""Where what an operation makes is read, changed and deleted."""
_OF_ADMINISTRATORS = {
    *("list_users", "invite_user", "list_audit", "list_keys", "create_key"),
    *("import_evidence", "export_evidence", "start_sync"),
}
"""Operations that, at least in part, are not there for others; their address names nothing."""
_IN_CHILD = {"get_calendar", "preview_alert", "export_project", "add_block", "export_evidence"}
"""Operations, besides those of runs, that a child computes within its allowance."""
_BODIES: dict[str, tuple[type[BaseModel], dict[str, Any]]] = {
    "ask": (AskRequest, {"query": AskRequest.model_fields["query"].examples[0]}),  # type: ignore[index]
    "rename_run": (RenameRun, {"title": "Airway, all samples"}),
    "create_list": (NewList, {"name": "KRAS", "kind": "drug", "entries": ["sotorasib"]}),
    "change_list": (ChangeList, {"add": ["adagrasib"]}),
    "share_run": (ShareRun, {"hides_inputs": True}),
    "mark_hits_seen": (SeenHits, {"hit_ids": None}),
    "create_project": (NewProject, {"name": "KRAS in lung cancer"}),
    "add_note": (NewNote, {"title": "Next step", "text": "Ask for the phase 2 data."}),
    "rename_project": (NewProject, {"name": "KRAS G12C"}),
    "set_member": (MemberRole, {"role": "editor"}),
    "add_block": (NewBlock, {"title": "Go to phase 2", "decided_on": "2026-11-02"}),
    "change_block": (ChangeBlock, {"version": 1, "title": "Go to phase 2b"}),
    "move_block": (MoveBlock, {"by": -1}),
    "add_comment": (NewComment, {"text": "Agreed."}),
    "snooze_hit": (MuteAlert, {"days": 7}),
    "mute_alert": (MuteAlert, {"days": 30}),
    "start_sync": (StartSync, {"sources": []}),
    "create_key": (NewKey, {"name": "notebook", "scopes": ["read"], "days": 90}),
    "rotate_key": (RotateKey, {"grace_hours": 24}),
    "invite_user": (NewUser, {"name": "carla", "role": "analyst"}),
    "change_user": (ChangeUser, {"quota_runs": 500}),
    "reset_user": (ResetUser, {"revoke_keys": True}),
    "link_user": (LinkUser, {"subject": "00u1a2b3c4"}),
}
"""Small request bodies by operation, each with an example."""


def _whole(least: int, most: int, default: int | None = None) -> dict[str, Any]:
    """Return the schema of a whole number in a query."""
    chosen = {} if default is None else {"default": default}
    return {"type": "integer", "minimum": least, "maximum": most, **chosen}


def _choice(words: list[str], default: str) -> dict[str, Any]:
    """Return the schema of a word in a query."""
    return {"enum": words, "default": default}


_SWITCH = _choice(["true", "false"], "false")
_OFFSET = _whole(0, MOST_ROWS, 0)
_QUERY: dict[str, list[tuple[str, dict[str, Any], str]]] = {
    "check_document": [
        (
            "format",
            _choice(["json", "docx", "md", "csv", "xlsx"], "json"),
            "json; docx or md: the marked document with its corrections; csv or xlsx: a table.",
        ),
    ],
    "list_runs": [
        ("agent", {"type": "string"}, "Runs of this agent only."),
        ("limit", _whole(1, 500, 50), "Most rows."),
        ("offset", _OFFSET, "Rows to leave out."),
    ],
    "list_hits": [
        ("query_id", _whole(0, MOST_ROWS), "Hits of this query only; 0: of all."),
        ("catalyst_type", {"enum": list(get_args(CatalystType))}, "Of this type only."),
        ("days", _whole(0, 3650), "Found in the last days."),
        ("least_score", _whole(0, 100), "Of this score on."),
        ("only_unseen", _SWITCH, "Not seen yet."),
        ("with_muted", _SWITCH, "Muted and snoozed, too."),
        ("limit", _whole(1, 1000, 50), "Most rows."),
        ("offset", _OFFSET, "Rows to leave out."),
    ],
    "list_keys": [("everybody", _SWITCH, "For administrators.")],
    "list_audit": [
        ("format", _choice(["json", "csv", "jsonl"], "json"), "Form."),
        ("action", {"type": "string"}, "Lines of this action only."),
        ("text", {"type": "string"}, "Contained in actor, subject or note."),
        ("limit", _whole(1, MOST_LINES, 200), "Most lines."),
        ("offset", _OFFSET, "Newer lines to skip."),
    ],
    "list_damages": [("limit", _whole(1, MOST_DAMAGES, 100), "Most rows.")],
    "get_digest": [("days", _whole(1, 365, 7), "How far back.")],
    "preview_alert": [
        ("signal_level", {"enum": ["low", "medium", "high"]}, "Default: that of the query."),
    ],
    "get_table": [
        ("format", _choice(["csv", "parquet", "json"], "csv"), "Form."),
        ("limit", _whole(1, MOST_ROWS), "Most rows; default all, of JSON 1,000."),
        ("offset", _OFFSET, "Rows to leave out."),
        ("sort", {"type": "string"}, "Column; a minus before it sorts downward."),
        (
            "filter",
            {"type": "array", "items": {"type": "string"}},
            "column<op>value with =, !=, <, <=, >, >= or ~ (contains); may be repeated.",
        ),
    ],
}


def describe_api(app: FastAPI, agents: dict[str, Agent]) -> dict[str, Any]:
    """Return the finished description."""
    base = get_openapi(
        title="Biopharma Workbench",
        version=VERSION,
        openapi_version="3.1.0",
        description="Analysis agents for biopharma research, diligence and deal sourcing.",
        routes=app.routes,
    )
    schemas = base.setdefault("components", {}).setdefault("schemas", {})
    schemas.update(_models([ErrorEnvelope], "serialization"))
    small = [model for model, _ in _BODIES.values()]
    bodies = _models([*small, *(agent.request for agent in agents.values())], "validation")
    _exclude_nul(list(bodies.values()))
    _name_choices(bodies, agents)
    schemas.update(bodies)
    schemas["StartRun"] = _start_run(agents)
    schemas["RunAnswer"]["properties"]["data"] = _any_data(agents)
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    base["components"]["securitySchemes"] = {"bearerAuth": {"type": "http", "scheme": "bearer"}}
    base["servers"] = [{"url": "/"}]
    for path, operations in base["paths"].items():
        for operation in operations.values():
            _finish(path, operation, agents)
    base["paths"] = {_PREFIX + path: item for path, item in base["paths"].items()}
    name_schemas(base)
    return base


def _name_choices(bodies: dict[str, Any], agents: dict[str, Agent]) -> None:
    """Name the words that fields take which only the registry and the sources know."""
    scopes = bodies["NewKey"]["properties"]["scopes"]
    scopes["items"] = {"type": "string", "enum": [READ, ADMIN, *agents]}
    sources = bodies["StartSync"]["properties"]["sources"]
    sources["items"] = {"type": "string", "enum": [source.name for source in SYNCED]}


def _exclude_nul(schema: Any) -> None:
    """Say of every free text in a request that it holds no NUL: strict JSON refuses it."""
    if isinstance(schema, list):
        for node in schema:
            _exclude_nul(node)
    if not isinstance(schema, dict):
        return
    is_free = schema.get("type") == "string" and not {"enum", "const", "format"} & set(schema)
    if is_free and schema.get("pattern") is None:
        schema["pattern"] = _NO_NUL
    for name in ("properties", "$defs"):
        for node in schema.get(name, {}).values():
            _exclude_nul(node)
    for name in ("items", "additionalProperties", "anyOf", "oneOf", "allOf"):
        _exclude_nul(schema.get(name))


def _start_run(agents: dict[str, Agent]) -> dict[str, Any]:
    """Return the body of `POST /v1/runs`: an agent's name with the body of that agent."""
    branches = [
        {
            "title": "Start" + agent.request.__name__.removesuffix("Request"),
            "type": "object",
            "properties": {
                "agent": {"const": agent.name},
                "input": {"$ref": _REF + agent.request.__name__},
            },
            "required": ["agent", "input"],
            "additionalProperties": False,
        }
        for agent in agents.values()
    ]
    return {"title": "StartRun", "description": StartRun.__doc__, "oneOf": branches}


def _any_data(agents: dict[str, Agent]) -> dict[str, Any]:
    """Return the schema of a stored result: the data of some agent, or null."""
    data = [{"$ref": _REF + agent.data.__name__} for agent in agents.values()]
    return {
        "anyOf": [*data, {"type": "null"}],
        "description": "The agent's result with empty tables, or null while there is none.",
    }


def _models(models: list[type[BaseModel]], mode: str) -> dict[str, Any]:
    pairs = [(model, mode) for model in models]
    _, schema = models_json_schema(pairs, ref_template=_REF + "{model}")  # type: ignore[arg-type]
    definitions: dict[str, Any] = schema.get("$defs", {})
    return definitions


def _finish(path: str, operation: dict[str, Any], agents: dict[str, Agent]) -> None:
    responses = operation["responses"]
    responses.pop("422", None)
    agent = agents.get(path.removeprefix("/agents/"))
    statuses = ["400", "401", "402", "500", "504"] if agent else _statuses(path, operation)
    for status in statuses:
        responses[status] = _error(_MEANINGS[status])
    if path not in _OPEN:
        operation["security"] = [{"bearerAuth": []}]
    _add_media(operation)
    _add_links(operation, is_run=bool(agent) or operation["operationId"] == "start_run")
    if agent:
        operation["requestBody"] = _agent_body(agent)
        responses["200"]["description"] = "Agent run completed"
    _add_body(operation, agents)
    for parameter in operation.get("parameters", []):
        if parameter["name"] == "fmt":
            forms = ["md", "pdf", "xlsx", "pptx"] + ["json"] * ("run_id" in path)
            parameter["schema"] = {"enum": forms, "type": "string"}
    for name, schema, text in _QUERY.get(operation["operationId"], []):
        operation.setdefault("parameters", []).append(
            {"name": name, "in": "query", "required": False, "schema": schema, "description": text}
        )


def _statuses(path: str, operation: dict[str, Any]) -> list[str]:
    if path in _OPEN:
        return ["500"]
    statuses = ["400", "401", "500"]
    if "{" in path or operation["operationId"] in _OF_ADMINISTRATORS:
        statuses.append("404")
    if operation["operationId"] in ("ask", "start_run", "get_report", "check_document"):
        statuses += ["402", "504"]
    if operation["operationId"] in _IN_CHILD:
        statuses.append("504")
    if operation["operationId"] == "upload_file":
        statuses.append("402")
    return statuses


def _error(meaning: str) -> dict[str, Any]:
    schema = {"$ref": _REF + "ErrorEnvelope"}
    return {"description": meaning, "content": {"application/json": {"schema": schema}}}


def _agent_body(agent: Agent) -> dict[str, Any]:
    return _json_body(agent.request.__name__, _examples(agent))


def _json_body(model: str, examples: dict[str, Any]) -> dict[str, Any]:
    content = {"schema": {"$ref": _REF + model}, "examples": examples}
    return {"required": True, "content": {"application/json": content}}


def _examples(agent: Agent) -> dict[str, Any]:
    return {
        example.name: {"summary": example.title, "value": example.request}
        for example in agent.examples
    }


def _add_body(operation: dict[str, Any], agents: dict[str, Agent]) -> None:
    name = operation["operationId"]
    if name == "start_run":
        examples = {
            f"{agent.name}-{title}": example | {"value": {"agent": agent.name, "input": value}}
            for agent in agents.values()
            for title, example in _examples(agent).items()
            if (value := example["value"])
        }
        operation["requestBody"] = _json_body("StartRun", examples)
    if name in _BODIES:
        model, value = _BODIES[name]
        operation["requestBody"] = _json_body(model.__name__, {"example": {"value": value}})
    if name in ("upload_file", "check_document", "import_evidence"):
        part: dict[str, Any] = {"type": "string", "format": "binary", "description": "The file."}
        if name == "import_evidence":
            part = {"type": "array", "items": part, "minItems": 1, "maxItems": MOST_FILES}
        form = {
            "type": "object",
            "properties": {"file": part},
            "required": ["file"],
            "additionalProperties": False,
        }
        operation["requestBody"] = {
            "required": True,
            "content": {"multipart/form-data": {"schema": form}},
        }


def _add_media(operation: dict[str, Any]) -> None:
    media = {
        "watch_run": ["text/event-stream"],
        "get_table": ["text/csv", "application/json", "application/vnd.apache.parquet"],
        "get_run_file": ["application/octet-stream", "text/x-r"],
        "get_digest": ["text/markdown"],
        "get_calendar": ["text/calendar"],
        "download_evidence": ["application/octet-stream"],
        "export_project": ["text/markdown", "application/pdf", *_OFFICE_FORMS],
        "get_report": [
            "text/markdown",
            "application/pdf",
            "application/json",
            *_OFFICE_FORMS,
        ],
    }.get(operation["operationId"])
    if media:
        operation["responses"]["200"]["content"] = {kind: {} for kind in media}
    if operation["operationId"] == "list_audit":
        operation["responses"]["200"]["content"] |= {"text/csv": {}, "application/x-ndjson": {}}
    if operation["operationId"] == "check_document":
        office = (_OFFICE + "wordprocessingml.document", _OFFICE_FORMS[0])
        kinds = ("text/markdown", "text/csv", *office)
        operation["responses"]["200"]["content"] |= {kind: {} for kind in kinds}


def _add_links(operation: dict[str, Any], *, is_run: bool) -> None:
    """Say where the run that an answer names, and its parts, are read."""
    if is_run:
        status = "200" if "200" in operation["responses"] else "202"
        names = ("get_run", "get_report", "rename_run", "cancel_or_delete_run")
        links = {name: _link(name, run_id=_RUN_ID) for name in names}
    elif operation["operationId"] == "get_run":
        status, run_id = "200", "$request.path.run_id"
        links = {
            name: _link(name, run_id=run_id, name=artifact_name)
            for name, artifact_name in _FIRST.items()
        }
    elif operation["operationId"] in _MADE:
        parameters, targets = _MADE[operation["operationId"]]
        status, links = "201", {name: _link(name, **parameters) for name in targets}
    else:
        return
    operation["responses"][status]["links"] = links


def _link(name: str, /, **parameters: str) -> dict[str, Any]:
    return {"operationId": name, "parameters": parameters}
