"""`/v1/projects`: projects with their people, blocks, comments and exports."""

from collections.abc import Callable
from datetime import date
from typing import Annotated, Literal

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from pydantic import BeforeValidator, Field
from starlette.responses import Response

from api.auth import require_owner, require_reader
from api.models import Done, OkAnswer, Wire
from api.run_routes import own_run
from api.threads import in_thread, look_up
from api.workspace_routes import read_body, read_id
from core.errors import InvalidInput, NotFound
from core.exports import MEDIA, freeze_run
from core.project_ports import Projects
from core.records.projects import (
    LONGEST_CAPTION,
    LONGEST_TEXT,
    LONGEST_TITLE,
    MOST_ROWS,
    BlockContent,
    Cell,
    FrozenTable,
    Project,
    ProjectBlock,
    ProjectLine,
    ProjectRole,
)
from core.records.wire import NOT_BLANK, WHOLE
from core.workbench import current

router = APIRouter(prefix="/projects", tags=["projects"])
Title = Annotated[str, Field(max_length=LONGEST_TITLE, pattern=NOT_BLANK)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]


def _read_day(value: object) -> object:
    if value is None or isinstance(value, date):
        return value
    if not isinstance(value, str) or len(value) != 10:
        raise ValueError("must be a day, YYYY-MM-DD")
    return date.fromisoformat(value)


Day = Annotated[date | None, BeforeValidator(_read_day, json_schema_input_type=date | None)]


class AllProjects(OkAnswer):
    """Your projects, those changed last first."""

    projects: list[ProjectLine]


class ProjectAnswer(OkAnswer):
    """A project with its people and blocks."""

    project: Project


class NewProject(Wire):
    """Body of `POST /v1/projects` and `PATCH /v1/projects/{project_id}`."""

    name: str = Field(max_length=120, pattern=NOT_BLANK, description="Its name.")


class NewNote(Wire):
    """Body of `POST /v1/projects/{project_id}/notes`."""

    title: str = Field(max_length=200, pattern=NOT_BLANK, description="Its heading.")
    text: str = Field(max_length=10_000, pattern=NOT_BLANK, description="Plain text.")


class NewTable(Wire):
    """A table for a block."""

    caption: str = Field(max_length=LONGEST_CAPTION, description="What it shows.")
    columns: Annotated[list[str], Field(min_length=1, max_length=60)]
    rows: Annotated[list[list[Cell]], Field(max_length=MOST_ROWS)]


class NewBlock(Wire):
    """Body of `POST /v1/projects/{project_id}/blocks`: a run, a table, a note or a decision."""

    run_id: str | None = Field(
        default=None, max_length=36, description="Copy the answer of this run; give nothing else."
    )
    title: Title | None = Field(default=None, description="Its heading; required without a run.")
    text: Text = Field(default="", description="Plain text of a note or decision.")
    decided_on: Day = Field(default=None, description="Date of a decision; makes it one.")
    table: NewTable | None = Field(default=None, description="Makes it a block with a table.")


class ChangeBlock(Wire):
    """Body of `PATCH /v1/projects/{project_id}/blocks/{block_id}`; fields not given stay."""

    version: Annotated[int, Field(ge=1, le=2**31 - 1), WHOLE] = Field(
        description="The version that you read; a newer one is not overwritten."
    )
    title: Title | None = Field(default=None, description="New heading.")
    text: Text | None = Field(default=None, description="New text of a note or decision.")
    decided_on: Day = Field(default=None, description="New date of a decision.")


class MoveBlock(Wire):
    """Body of `POST /v1/projects/{project_id}/blocks/{block_id}/move`."""

    by: Annotated[int, Field(ge=-100, le=100), WHOLE] = Field(
        description="Places down; negative: up."
    )


class NewComment(Wire):
    """Body of `POST /v1/projects/{project_id}/blocks/{block_id}/comments`."""

    text: str = Field(max_length=4_000, pattern=NOT_BLANK, description="Plain text.")


class MemberRole(Wire):
    """Body of `PUT /v1/projects/{project_id}/members/{user_name}`."""

    role: ProjectRole = Field(description="What the member may do.")


@router.get("", operation_id="list_projects")
async def list_projects(request: HttpRequest) -> AllProjects:
    """List the projects that you are a member of."""
    caller = await require_reader(request)
    return AllProjects(projects=list(await look_up(_store().of, caller.user_id)))


@router.post("", status_code=201, operation_id="create_project")
async def create_project(request: HttpRequest) -> ProjectAnswer:
    """Create an empty project."""
    caller = await require_owner(request)
    body = await read_body(NewProject, request)
    return await _answer(_store().make, caller.user_id, body.name)


@router.get("/{project_id}", operation_id="get_project")
async def get_project(request: HttpRequest, project_id: str) -> ProjectAnswer:
    """Read a project with its people, blocks and comments."""
    caller = await require_reader(request)
    return ProjectAnswer(project=await _project(caller.user_id, project_id))


@router.patch("/{project_id}", operation_id="rename_project")
async def rename_project(request: HttpRequest, project_id: str) -> ProjectAnswer:
    """Rename a project; owners only."""
    user_id, project = await _begin(request, project_id)
    body = await read_body(NewProject, request)
    return await _answer(_store().rename, user_id, project.project_id, body.name)


@router.delete("/{project_id}", operation_id="delete_project")
async def delete_project(request: HttpRequest, project_id: str) -> Done:
    """Delete a project with all its blocks; owners only."""
    user_id, project = await _begin(request, project_id)
    await in_thread(_store().delete, user_id, project.project_id)
    return Done(status="deleted")


@router.put("/{project_id}/members/{user_name}", operation_id="set_member")
async def set_member(request: HttpRequest, project_id: str, user_name: str) -> ProjectAnswer:
    """Give a person a role in a project; owners only."""
    user_id, project = await _begin(request, project_id)
    body = await read_body(MemberRole, request)
    try:
        return await _answer(_store().share, user_id, project.project_id, user_name, body.role)
    except InvalidInput as error:
        if any(detail.field == "name" for detail in error.details):
            raise NotFound("account not found") from error
        raise


@router.delete("/{project_id}/members/{user_name}", operation_id="remove_member")
async def remove_member(request: HttpRequest, project_id: str, user_name: str) -> Done:
    """Remove a person from a project; owners only, but anybody may leave."""
    user_id, project = await _begin(request, project_id)
    if user_name not in {name for name, _ in project.members}:
        raise NotFound("member not found")
    await in_thread(_store().share, user_id, project.project_id, user_name, None)
    return Done(status="removed")


@router.post("/{project_id}/notes", status_code=201, operation_id="add_note")
async def add_note(request: HttpRequest, project_id: str) -> ProjectAnswer:
    """Add a note at the end of a project."""
    user_id, project = await _begin(request, project_id)
    body = await read_body(NewNote, request)
    content = BlockContent(kind="note", title=body.title, sentences=(body.text,))
    return await _answer(_store().add, user_id, project.project_id, content)


@router.post("/{project_id}/blocks", status_code=201, operation_id="add_block")
async def add_block(request: HttpRequest, project_id: str) -> ProjectAnswer:
    """Add a copy of a run's answer, a table, a note or a decision at the end of a project."""
    user_id, project = await _begin(request, project_id)
    body = await read_body(NewBlock, request)
    if body.run_id is not None:
        if body.model_fields_set != {"run_id"}:
            raise InvalidInput("a run is copied as it is; give nothing else", field="run_id")
        _, run = await own_run(request, body.run_id)
        if run.status != "completed":
            raise InvalidInput("the run has no answer to copy", field="run_id", code="no_answer")
        content = await in_thread(freeze_run, run, current())
    else:
        content = _written(body)
    return await _answer(_store().add, user_id, project.project_id, content)


@router.patch("/{project_id}/blocks/{block_id}", operation_id="change_block")
async def change_block(request: HttpRequest, project_id: str, block_id: str) -> ProjectAnswer:
    """Change heading, text or date of a block, if nobody else has changed it meanwhile."""
    user_id, project = await _begin(request, project_id)
    block = _block(project, block_id)
    body = await read_body(ChangeBlock, request)
    kind = block.content.kind
    changes: dict[str, object] = {}
    if body.title is not None:
        changes["title"] = body.title
    if body.text is not None:
        if kind not in ("note", "decision"):
            raise InvalidInput("only notes and decisions have a text to change", field="text")
        changes["sentences"] = (body.text,) if body.text.strip() else ()
    if body.decided_on is not None:
        if kind != "decision":
            raise InvalidInput("only decisions have a date", field="decided_on")
        changes["decided_on"] = body.decided_on
    content = block.content.model_copy(update=changes)
    ids = (user_id, project.project_id, block.block_id)
    return await _answer(_store().edit, *ids, content, body.version)


@router.post("/{project_id}/blocks/{block_id}/move", operation_id="move_block")
async def move_block(request: HttpRequest, project_id: str, block_id: str) -> ProjectAnswer:
    """Move a block up or down; at an end it stays there."""
    user_id, project = await _begin(request, project_id)
    block = _block(project, block_id)
    body = await read_body(MoveBlock, request)
    return await _answer(_store().move, user_id, project.project_id, block.block_id, body.by)


@router.delete("/{project_id}/blocks/{block_id}", operation_id="delete_block")
async def delete_block(request: HttpRequest, project_id: str, block_id: str) -> Done:
    """Delete a block with its comments."""
    user_id, project = await _begin(request, project_id)
    block = _block(project, block_id)
    await in_thread(_store().remove, user_id, project.project_id, block.block_id)
    return Done(status="deleted")


@router.post(
    "/{project_id}/blocks/{block_id}/comments", status_code=201, operation_id="add_comment"
)
async def add_comment(request: HttpRequest, project_id: str, block_id: str) -> ProjectAnswer:
    """Comment on a block; readers may, too."""
    user_id, project = await _begin(request, project_id)
    block = _block(project, block_id)
    body = await read_body(NewComment, request)
    return await _answer(_store().comment, user_id, project.project_id, block.block_id, body.text)


@router.delete("/{project_id}/comments/{comment_id}", operation_id="delete_comment")
async def delete_comment(request: HttpRequest, project_id: str, comment_id: str) -> Done:
    """Delete your own comment; owners delete any."""
    user_id, project = await _begin(request, project_id)
    number = read_id(comment_id, "comment")
    await in_thread(_store().uncomment, user_id, project.project_id, number)
    return Done(status="deleted")


@router.get("/{project_id}/export.{fmt}", operation_id="export_project", response_class=Response)
async def export_project(request: HttpRequest, project_id: str, fmt: str) -> Response:
    """Export a project as md, pdf, xlsx or pptx."""
    from core.reports.projects import render_project

    caller = await require_reader(request)
    if fmt not in MEDIA or fmt == "json":
        raise NotFound("projects are exported as md, pdf, xlsx or pptx")
    project, bench = await _project(caller.user_id, project_id), current()
    content = await in_thread(bench.executor.call, render_project, project, bench.now(), fmt)
    note = (caller.name, "export", f"project {project.project_id}", fmt)
    await in_thread(bench.stores.audit.note, *note)
    headers = {"Content-Disposition": f'attachment; filename="project-{project_id}.{fmt}"'}
    return Response(content, headers=headers, media_type=MEDIA[fmt])


def _written(body: NewBlock) -> BlockContent:
    """Return what a person wrote as a block."""
    if body.title is None:
        raise InvalidInput("title: this field is required", field="title", code="missing_field")
    sentences = (body.text,) if body.text.strip() else ()
    if body.table is None:
        kind: Literal["decision", "note"] = "decision" if body.decided_on else "note"
        return BlockContent(
            kind=kind, title=body.title, sentences=sentences, decided_on=body.decided_on
        )
    if body.decided_on or any(len(row) != len(body.table.columns) for row in body.table.rows):
        raise InvalidInput(
            "a block with a table has no date, and each row a cell for each column", field="table"
        )
    table = FrozenTable(
        caption=body.table.caption,
        columns=tuple(body.table.columns),
        rows=tuple(map(tuple, body.table.rows)),
    )
    return BlockContent(kind="table", title=body.title, sentences=sentences, tables=(table,))


def _store() -> Projects:
    return current().stores.projects


async def _answer(act: Callable[..., Project], *arguments: object) -> ProjectAnswer:
    """Change a project and return it."""
    return ProjectAnswer(project=await in_thread(act, *arguments))


async def _begin(request: HttpRequest, project_id: str) -> tuple[int, Project]:
    """Return who changes a project, and the project; the store checks the role."""
    caller = await require_owner(request)
    return caller.user_id, await _project(caller.user_id, project_id)


async def _project(user_id: int, project_id: str) -> Project:
    return await in_thread(_store().get, user_id, read_id(project_id, "project"))


def _block(project: Project, block_id: str) -> ProjectBlock:
    number = read_id(block_id, "block")
    block = next((block for block in project.blocks if block.block_id == number), None)
    if block is None:
        raise NotFound("block not found")
    return block
