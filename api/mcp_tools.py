"""The tools behind `/mcp`: the agents, and reading of runs, tables and evidence.

A result is text for a language model, cut at a line, with the call that gives the rest, and the
same numbers as an object for programs. What went wrong with a call is part of its result, so that
a model can correct itself.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from pydantic import Field
from starlette.requests import Request as HttpRequest

from api.agent_routes import begin, finished
from api.run_routes import made, table_content
from api.threads import in_thread, look_up
from api.validation import printable, read_request
from core import exports, results
from core.agent import Agent
from core.errors import InvalidInput, NotAuthenticated, NotFound, QuotaExceeded, WorkbenchError
from core.evidence.proof.citations import record_page
from core.execution.document_checks import SCOPE, check_for, render_for
from core.records.evidence import PACKED_SECTIONS, Record, SourceType
from core.records.evidence_pack import FactQuery, TextQuery
from core.records.runs import Caller, RunRecord
from core.records.wire import WHOLE, JsonObject, Request
from core.workbench import current

WAIT_S = 45.0
"""Seconds that a call waits for a run; many clients give up after a minute."""
MOST_BYTES = 48_000
"""Size of a result's text: 20,000 tokens even where each has 2.4 bytes, as numbers have."""
_FOR_TEXT = 36_000
_FOR_SOURCES = MOST_BYTES - _FOR_TEXT - 2_000
MOST_ROWS = 500
MOST_RESOURCES = 100
_RESOURCE = "bpw://runs/"
_CITED = re.compile(r"\\?\[(\d+)\\?\]")
_SOURCE_LINE = re.compile(r"^- \[(\d+)\] .*$", re.MULTILINE)
Offset = Annotated[int, Field(ge=0, le=10**9), WHOLE]


class Call(NamedTuple):
    """A message with who sent it."""

    request: HttpRequest
    caller: Caller

    @property
    def root(self) -> str:
        """Return the address of this instance, as the settings or the client have it."""
        root = current().settings.public_url or str(self.request.base_url)
        return root.rstrip("/")


class Refusal(Exception):
    """A call that names no tool or resource of the caller's.

    Attributes:
        message: What is wrong and what there is.
    """

    def __init__(self, message: str) -> None:
        """Keep the message."""
        super().__init__(message)
        self.message = message


class ReadRun(Request):
    """Arguments of `read_run`."""

    run_id: str = Field(max_length=64, description="The run, as an agent's result names it.")
    offset: Offset = Field(default=0, description="Character of the report to go on from.")


class ReadTable(Request):
    """Arguments of `read_table`."""

    run_id: str = Field(max_length=64, description="The run, as an agent's result names it.")
    table: str = Field(max_length=120, description="Name of the table, as the result lists it.")
    offset: Offset = Field(default=0, description="Rows to skip.")
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS), WHOLE] = Field(
        default=100, description="Rows to return; fewer come where they are too long."
    )
    sort: str | None = Field(
        default=None, max_length=200, description="Column to sort by; a minus before it: downward."
    )
    filters: list[Annotated[str, Field(max_length=500)]] = Field(
        default=[],
        max_length=20,
        description='Column, one of = != < <= > >= ~ (contains), value: "company=Novartis".',
    )


class SearchEvidence(Request):
    """Arguments of `search_evidence`."""

    query: str = Field(
        min_length=2, max_length=300, description="Words that must all occur; quotes make a phrase."
    )
    kinds: list[SourceType] = Field(default=[], description="Kinds of records; empty: all.")
    sources: list[Annotated[str, Field(max_length=60)]] = Field(
        default=[], max_length=30, description='Sources, such as "ctgov" or "label"; empty: all.'
    )
    since: str = Field(
        default="",
        pattern=r"^(\d{4}(-\d\d(-\d\d)?)?)?$",
        description="Only records updated on this day or later (YYYY-MM-DD).",
    )
    limit: Annotated[int, Field(ge=1, le=100), WHOLE] = Field(default=20, description="Records.")


class ReadRecord(Request):
    """Arguments of `read_record`."""

    record_id: str = Field(max_length=300, description="Its id, as search_evidence returns it.")
    offset: Offset = Field(default=0, description="Character to go on from.")


class CheckDocument(Request):
    """Arguments of `check_document`."""

    text: str | None = Field(
        default=None,
        max_length=400_000,
        description="The document as Markdown or plain text; leave it out with a file_id.",
    )
    file_id: str | None = Field(
        default=None,
        max_length=64,
        description="An upload (POST /v1/files): docx, pptx, pdf, Markdown or text.",
    )


class Result(NamedTuple):
    """What a tool returns: text, and the figures of it that programs need."""

    text: str
    values: JsonObject


@dataclass(frozen=True)
class Tool:
    """A tool that reads.

    Attributes:
        title: Its name for people.
        description: What it returns, for a model that chooses.
        arguments: Model of its arguments.
        run: What answers.
    """

    title: str
    description: str
    arguments: type[Request]
    run: Callable[[Call, Any], Awaitable[Result]]


async def list_tools(call: Call, params: JsonObject) -> JsonObject:
    """Return the tools that the caller's key may use."""
    described = await in_thread(_describe_tools)
    scopes = dict.fromkeys(current().agents) | {"check_document": SCOPE}
    allowed = call.caller.may_run
    return {
        "tools": [
            tool for name, tool in described if name not in scopes or allowed(scopes[name] or name)
        ]
    }


@lru_cache(maxsize=1)
def _describe_tools() -> Sequence[tuple[str, JsonObject]]:
    agents = [
        _describe(agent.name, agent.title, _about(agent), agent.request, is_reading=False)
        for agent in current().agents.values()
    ]
    readers = [
        _describe(name, tool.title, tool.description, tool.arguments, is_reading=True)
        for name, tool in READERS.items()
    ]
    return [(tool["name"], tool) for tool in (*agents, *readers)]


def _about(agent: Agent) -> str:
    """Return what an agent does, with a request that works."""
    example = json.dumps(agent.examples[0].request, ensure_ascii=False) if agent.examples else ""
    return f"{agent.summary} For example: {example}" if 0 < len(example) < 400 else agent.summary


def _describe(
    name: str, title: str, description: str, arguments: type[Request], *, is_reading: bool
) -> JsonObject:
    return {
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": arguments.model_json_schema(by_alias=True),
        "annotations": {
            "title": title,
            "readOnlyHint": is_reading,
            "destructiveHint": False,
            "idempotentHint": is_reading,
            "openWorldHint": False,
        },
    }


async def call_tool(call: Call, params: JsonObject) -> JsonObject:
    """Run a tool; what is wrong with its arguments or its run is part of the result.

    Raises:
        Refusal: There is no such tool.
        NotAuthenticated: The key stopped working meanwhile.
    """
    name, arguments = params.get("name"), params.get("arguments") or {}
    agent = current().agents.get(name) if isinstance(name, str) else None
    tool = READERS.get(name) if isinstance(name, str) else None
    if agent is None and tool is None:
        names = ", ".join([*current().agents, *READERS])
        raise Refusal(f"no tool {printable(str(name))!r}; the tools: {names}")
    if not isinstance(arguments, dict):
        raise Refusal("arguments must be an object")
    try:
        if agent is not None:
            result = await _run_agent(call, agent, arguments)
        elif tool is not None:
            result = await tool.run(call, read_request(tool.arguments, arguments))
    except NotAuthenticated:
        raise
    except WorkbenchError as failure:
        return _told(_failure(failure), is_error=True)
    return _told(result)


def _told(result: Result, *, is_error: bool = False) -> JsonObject:
    content = [{"type": "text", "text": result.text}]
    return {"content": content, "structuredContent": result.values, "isError": is_error}


def _failure(failure: WorkbenchError) -> Result:
    """Return a failure as a result: each field with what is wrong."""
    record = failure.record()
    lines = [record.message, *(f"- {each.field}: {each.message}" for each in record.details)]
    if isinstance(failure, QuotaExceeded):
        lines.append("Runs, tables and evidence can still be read.")
    return Result("\n".join(lines), {"error": record.model_dump(mode="json")})


async def _run_agent(call: Call, agent: Agent, arguments: JsonObject) -> Result:
    if not call.caller.may_run(agent.name):
        raise InvalidInput(
            f"this API key may not run {agent.name}; make a key for it on the page API keys",
            code="out_of_scope",
        )
    agent_request = await in_thread(read_request, agent.request, arguments)
    run = await begin(call.request, agent, agent_request, call.caller)
    return await _tell_run(call, run, 0)


async def _tell_run(call: Call, run: RunRecord, offset: int) -> Result:
    """Wait for a run and return its report from a character on."""
    try:
        run = await asyncio.wait_for(finished(call.request, run, call.caller), WAIT_S)
    except TimeoutError:
        run = await look_up(current().stores.runs.get, call.caller.user_id, run.run_uuid)
    values: JsonObject = {"run_id": run.run_uuid, "agent": run.agent, "status": run.status}
    if not run.is_final:
        step = f", at the step {run.steps[-1].step}" if run.steps else ""
        words = f"The run goes on{step}. Call read_run with run_id {run.run_uuid} to wait for it."
        return Result(words, values)
    if run.error is not None:
        raise _RunFailed(run)
    order = await in_thread(exports.order_report, run, "md", current())
    report = await in_thread(_with_addresses, (await made(order)).decode(), run, call)
    audit = current().stores.audit.note
    await in_thread(audit, call.caller.name, "export", run.run_uuid, "md, by a tool")
    if offset >= len(report):
        raise InvalidInput(f"the report has {len(report):,} characters", field="offset")
    text, end = cut(report, offset, _FOR_TEXT)
    tables = {part.name: part.rows or 0 for part in run.artifacts if part.kind == "table"}
    values |= {"cached": run.cached, "offset": offset, "characters": len(report)}
    values |= {"next_offset": end if end < len(report) else None, "tables": tables}
    return Result("\n\n".join([text, *_cited(report, text), *_rest(run, values)]), values)


class _RunFailed(WorkbenchError):
    """A run that ended without an answer, with the status that it ended with."""

    def __init__(self, run: RunRecord) -> None:
        """Keep the run's own error."""
        error = run.error
        assert error is not None  # noqa: S101 - the caller looked
        super().__init__(error.message, code=error.code, details=error.details)


def _with_addresses(report: str, run: RunRecord, call: Call) -> str:
    """Return a report whose sources without a web address name their page on this instance."""
    view = results.find_part(run, "view", "view")
    with current().stores.blobs.open(view.sha256) as content:
        sources = json.loads(content.read()).get("sources") or []
    pages = {
        source["id"]: source["url"]
        for source in sources
        if isinstance(source, dict) and str(source.get("url", "")).startswith("/")
    }

    def add(line: re.Match[str]) -> str:
        page = pages.get(line[1])
        if "](<" in line[0]:
            return line[0]
        return f"{line[0]} <{call.root}{page}>" if page else f"{line[0]} (no web address)"

    return _SOURCE_LINE.sub(add, report)


def cut(text: str, offset: int, most_bytes: int) -> tuple[str, int]:
    """Return a piece of a text that ends with a line, and where the next one begins.

    Args:
        text: The whole text.
        offset: Character that the piece begins with.
        most_bytes: Largest size of the piece in UTF-8.
    """
    piece = text[offset : offset + most_bytes].encode()[:most_bytes].decode(errors="ignore")
    end = offset + len(piece)
    if end < len(text) and (line := piece.rfind("\n") + 1):
        end = offset + line
    return text[offset:end], end


def _cited(report: str, text: str) -> list[str]:
    """Return the sources that a piece of a report cites and does not list itself."""
    numbers = set(_CITED.findall(text)) - set(_SOURCE_LINE.findall(text))
    lines = [match[0] for match in _SOURCE_LINE.finditer(report) if match[1] in numbers]
    listed, _ = cut("\n".join(lines), 0, _FOR_SOURCES)
    return [f"Sources of this part:\n{listed}"] if listed else []


def _rest(run: RunRecord, values: JsonObject) -> list[str]:
    """Return which calls give what a piece of a report leaves out."""
    lines = [f"Run {run.run_uuid}."]
    if values["next_offset"] is not None:
        offset, size = values["next_offset"], values["characters"]
        lines.append(
            f"Characters {values['offset']:,} to {offset:,} of {size:,}: for the rest call "
            f'read_run with {{"run_id": "{run.run_uuid}", "offset": {offset}}}.'
        )
    if tables := values["tables"]:
        names = ", ".join(f"{name} ({rows:,})" for name, rows in tables.items())
        lines.append(f"All rows: call read_table with a table of this run: {names}.")
    return ["\n".join(lines)]


async def _own_run(call: Call, run_id: str) -> RunRecord:
    """Return a run of the caller's that the key may read.

    Raises:
        NotFound: There is none.
    """
    run = await look_up(current().stores.runs.get, call.caller.user_id, run_id)
    if not call.caller.may_read(run.agent):
        raise NotFound("run not found")
    return run


async def _read_run(call: Call, arguments: ReadRun) -> Result:
    return await _tell_run(call, await _own_run(call, arguments.run_id), arguments.offset)


async def _read_table(call: Call, arguments: ReadTable) -> Result:
    run = await _own_run(call, arguments.run_id)
    names = [part.name for part in run.artifacts if part.kind == "table"]
    if arguments.table not in names:
        raise InvalidInput(
            f"the run has no table {printable(arguments.table)!r}; its tables: "
            f"{', '.join(names) or 'none'}",
            field="table",
        )
    selection = results.Selection(
        arguments.offset, arguments.limit, arguments.sort, tuple(arguments.filters)
    )
    content, total = await in_thread(table_content, run, arguments.table, selection, "csv")
    text, rows = await in_thread(_whole_rows, content.decode("utf-8-sig"))
    end = arguments.offset + rows
    more = end if end < total else None
    values = {"total": total, "offset": arguments.offset, "rows": rows, "next_offset": more}
    if more is not None:
        text += f"\nRows {arguments.offset + 1:,} to {end:,} of {total:,}: go on with offset {end}."
    return Result(text, values)


def _whole_rows(content: str) -> tuple[str, int]:
    """Return the CSV of the first rows that fit, and how many they are.

    Raises:
        InvalidInput: Not even one row fits.
    """
    import csv
    import io

    header, *rows = csv.reader(io.StringIO(content))
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(header)
    size = len(written.getvalue().encode())
    for count, row in enumerate(rows):
        before = written.tell()
        writer.writerow(row)
        size += len(written.getvalue()[before:].encode())
        if size > MOST_BYTES:
            if not count:
                raise InvalidInput(
                    "a row of this table is too long for a result; read it at "
                    "/v1/runs/{run_id}/tables/{name}"
                )
            return written.getvalue()[:before], count
    return written.getvalue(), len(rows)


async def _search_evidence(call: Call, arguments: SearchEvidence) -> Result:
    if arguments.since:
        try:
            date.fromisoformat(f"{arguments.since}-01-01"[:10])
        except ValueError:
            raise InvalidInput("not a valid day; write YYYY-MM-DD", field="since") from None
    words = re.findall(r'"([^"]+)"|(\S+)', arguments.query)
    query = TextQuery(
        groups=[[phrase or word] for phrase, word in words],
        kinds=arguments.kinds,
        sources=arguments.sources,
        since=arguments.since,
        limit=arguments.limit,
    )
    return await in_thread(_find_records, query, call.root)


def _find_records(query: TextQuery, root: str) -> Result:
    evidence = current().stores.evidence
    hits = evidence.search(query)
    records = evidence.records([hit.record_id for hit in hits])
    rows: list[JsonObject] = [
        {
            "record_id": hit.record_id,
            "title": hit.title[:300],
            "kind": hit.kind,
            "updated_on": hit.updated_on,
            "url": _address(records[hit.record_id], root),
        }
        for hit in hits
        if hit.record_id in records
    ]
    lines = [
        f"- {row['record_id']}: {row['title']} ({row['kind']}, {row['updated_on'] or 'no day'}) "
        f"{row['url']}"
        for row in rows
    ]
    head = f"{len(rows)} records; read one with read_record."
    if len(rows) >= query.limit:
        head = f"The first {len(rows)} records; there may be more. Read one with read_record."
    elif not rows:
        head = "No record holds all of these words. Try fewer words, or a synonym."
    text, _ = cut("\n".join([head, *lines]), 0, MOST_BYTES)
    return Result(text, {"records": len(rows)})


def _address(record: Record, root: str) -> str:
    """Return where a reader finds a record: at its source, else on this instance."""
    return record.url or f"{root}{record_page(record.id)}"


async def _read_record(call: Call, arguments: ReadRecord) -> Result:
    text = await in_thread(_show_record, arguments.record_id, call.root)
    piece, end = cut(text, arguments.offset, MOST_BYTES - 1_000)
    more = end if end < len(text) else None
    if more is not None:
        piece += f"\nTo character {end:,} of {len(text):,}: go on with offset {end}."
    return Result(piece, {"characters": len(text), "next_offset": more})


def _show_record(record_id: str, root: str) -> str:
    """Return a record as text: where it is from, its facts, its own words."""
    from core.evidence.proof.fact_tables import fact_qualifiers, fact_value

    evidence = current().stores.evidence
    record = evidence.record(record_id)
    if record is None:
        raise NotFound("the evidence has no record with this id; search_evidence finds ids")
    head = [
        f"# {record.title or record.source_id}",
        f"Source: {record.source} {record.source_id}, {_address(record, root)}",
        f"Published: {record.published_on or 'not reported'}; as of: {record.told_on}",
    ]
    facts = [
        f"- {stored.fact.subject}: {stored.fact.predicate.replace('_', ' ')}: "
        f"{fact_value(stored.fact)}; {fact_qualifiers(stored.fact.qualifiers)} "
        f"(as of {stored.fact.as_of or 'no day'})"
        for stored in evidence.facts(FactQuery(record_ids=[record.id]))
    ]
    spans = [
        f"## {span.section.replace('_', ' ')}\n{span.text}"
        for span in record.spans
        if span.section not in PACKED_SECTIONS
    ]
    return "\n".join([*head, "## Facts", *(facts or ["None."]), *spans])


async def _check_document(call: Call, arguments: CheckDocument) -> Result:
    """Check a text or an upload; what does not fit is read by checking the rest of it."""
    if not call.caller.may_run(SCOPE):
        raise InvalidInput("this API key may not check documents", code="out_of_scope")
    if (arguments.text is None) == (arguments.file_id is None):
        raise InvalidInput("send either text or file_id", field="text")
    name, content = await in_thread(_document, call.caller, arguments)
    check = await in_thread(check_for, call.caller, name, content, current())
    text = (await in_thread(render_for, check, "md", current())).decode()
    piece, end = cut(text, 0, MOST_BYTES - 1_000)
    if end < len(text):
        piece += (
            f"\nThe first {end:,} of {len(text):,} characters. Check the document in parts, or "
            "read the whole result at POST /v1/documents/check?format=docx."
        )
    return Result(piece, {"counts": check.counts, "characters": len(text)})


def _document(caller: Caller, arguments: CheckDocument) -> tuple[str, bytes]:
    """Return name and content of the document to check."""
    if arguments.file_id is None:
        return "document.md", (arguments.text or "").encode()
    stores = current().stores
    try:
        upload = stores.files.get(caller.user_id, arguments.file_id)
    except NotFound:
        raise InvalidInput(
            "upload not found; upload the file again and use the new id",
            field="file_id",
            code="unknown_file",
        ) from None
    return upload.name, stores.blobs.path(upload.sha256).read_bytes()


async def list_resources(call: Call, params: JsonObject) -> JsonObject:
    """Return the caller's newest completed runs."""
    runs = await look_up(
        current().stores.runs.list,
        call.caller.user_id,
        scopes=call.caller.readable,
        limit=MOST_RESOURCES,
    )
    return {
        "resources": [
            {
                "uri": f"{_RESOURCE}{run.run_uuid}",
                "name": run.title[:200] or run.agent,
                "description": f"{run.agent}, {run.created_at:%Y-%m-%d %H:%M} UTC",
                "mimeType": "text/markdown",
            }
            for run in runs
            if run.status == "completed"
        ]
    }


async def read_resource(call: Call, params: JsonObject) -> JsonObject:
    """Return the report of one of the caller's runs.

    Raises:
        Refusal: There is no such run.
    """
    address = params.get("uri")
    run_id = address.removeprefix(_RESOURCE) if isinstance(address, str) else ""
    try:
        result = await _tell_run(call, await _own_run(call, run_id), 0)
    except NotFound:
        raise Refusal(f"no such resource; addresses begin with {_RESOURCE}") from None
    return {"contents": [{"uri": address, "mimeType": "text/markdown", "text": result.text}]}


READERS: dict[str, Tool] = {
    "read_run": Tool(
        "Read a run",
        "Return the report of one of your runs as Markdown, in parts; waits for a run that is "
        "still under way.",
        ReadRun,
        _read_run,
    ),
    "read_table": Tool(
        "Read a table",
        f"Return rows of a table of one of your runs as CSV, at most {MOST_ROWS} a call, sorted "
        "and filtered as asked.",
        ReadTable,
        _read_table,
    ),
    "check_document": Tool(
        "Check a document",
        "Compare what a document states about drugs, trials, companies and deals with the "
        "evidence, sentence by sentence; each verdict names its record. Costs one run.",
        CheckDocument,
        _check_document,
    ),
    "search_evidence": Tool(
        "Search the evidence",
        "Find records (trials, labels, approvals, deals, patents, papers) whose text contains all "
        "words; returns ids, titles and addresses, best first.",
        SearchEvidence,
        _search_evidence,
    ),
    "read_record": Tool(
        "Read a record",
        "Return a record of the evidence: its facts, its own text and its address.",
        ReadRecord,
        _read_record,
    ),
}
"""Tools that read; only `check_document` costs quota."""
