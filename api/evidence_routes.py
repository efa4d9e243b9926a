"""`/v1/evidence`: what the instance knows; administrators import, sync and export it.

The rules are those of the page Evidence: all files of an import or none, one import at a time.
"""

import re
from typing import Annotated, BinaryIO

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from pydantic import Field
from starlette.datastructures import UploadFile
from starlette.responses import FileResponse, Response

from api.account_routes import require_administrator, require_viewer
from api.file_routes import check_form, plain_name, read_parts
from api.models import OkAnswer, Wire
from api.queries import read_number
from api.threads import in_thread
from api.workspace_routes import read_body
from core.errors import InvalidInput, NotFound
from core.evidence.proof.fact_tables import fact_qualifiers, fact_value
from core.evidence.sources.import_state import ImportState, Status, read_state
from core.evidence.sources.sync.sources import SYNCED, find_sources
from core.execution.importing import export_pack, start_import
from core.execution.syncing import find_syncing, start_sync
from core.records.evidence import Damage
from core.records.evidence_pack import FactQuery, ImportedFile, PackInfo, SourceCount
from core.settings import MEGABYTE
from core.workbench import Workbench, current

router = APIRouter(prefix="/evidence", tags=["evidence"])
MOST_FILES = 200
MOST_DAMAGES = 1_000
MOST_FACTS = 1_000
_PACK = re.compile(r"evidence-\d{1,9}\.db")


class EvidenceAnswer(OkAnswer):
    """What the evidence of the instance holds."""

    version: str = Field(description="Changes with every import.")
    records: int
    facts: int
    damaged: int = Field(description="Rows of imported files that could not be read.")
    sources: list[SourceCount]
    files: list[ImportedFile]


class DamagedRows(OkAnswer):
    """Rows of imported files that could not be read, newest import first."""

    rows: list[Damage]


class FileImport(Wire):
    """What one file of an import came to."""

    name: str
    kind: str
    records: int
    damaged: int


class EvidenceImport(OkAnswer):
    """The last import of files through page or API; `files` and `skipped` once it is done."""

    status: Status
    by: str = Field(description="Who started it.")
    started_at: str
    finished_at: str
    step: str = Field(description="What is done now.")
    done: int = Field(description="Files read.")
    total: int = Field(description="Files to read.")
    records: int = Field(description="Records of the present file so far.")
    files: list[FileImport]
    skipped: list[str] = Field(description="Files of no known kind.")
    error: str = Field(description="Why it failed; nothing was changed then.")

    @classmethod
    def of(cls, state: ImportState) -> "EvidenceImport":
        """Return the wire form of an import's state."""
        fields = state.model_dump(exclude={"worker", "rows", "left_out"})
        return cls(**fields, records=state.rows, skipped=list(state.left_out))


class SourceSync(Wire):
    """How far a live source has been read."""

    source: str
    title: str
    is_syncing: bool
    status: str = Field(description="What became of the last sync; empty before the first.")
    message: str
    records: int
    withdrawn: int = Field(description="Records that the source no longer lists.")
    as_of: str = Field(description="Day of the source's data.")
    synced_at: str


class AllSyncs(OkAnswer):
    """The live sources of the instance."""

    sources: list[SourceSync]


class StartSync(Wire):
    """Body of `POST /v1/evidence/syncs`."""

    sources: Annotated[list[str], Field(max_length=len(SYNCED))] = Field(
        default=[], description="Names of sources; empty: all."
    )


class ExportedPack(OkAnswer):
    """The evidence in one file, to import on a host without a network."""

    name: str
    sha256: str
    size: int
    url: str


class RecordFact(Wire):
    """A statement that a record makes."""

    subject: str
    predicate: str
    value: str
    conditions: str = Field(description="Region, indication, line, arm and others.")
    as_of: str
    location: str = Field(description="Where in the record.")


class RecordText(Wire):
    """A section of a record, word for word."""

    section: str
    text: str


class RecordAnswer(OkAnswer):
    """A record of the evidence with its facts and its own words."""

    record_id: str
    source: str
    kind: str
    title: str
    url: str
    published_on: str
    as_of: str
    license: str
    facts: list[RecordFact] = Field(description=f"At most {MOST_FACTS:,}.")
    text: list[RecordText]


@router.get("", operation_id="get_evidence")
async def get_evidence(request: HttpRequest) -> EvidenceAnswer:
    """Say what the evidence holds and how old it is."""
    await require_viewer(request)
    evidence = current().stores.evidence
    info: PackInfo = await in_thread(evidence.info)
    return EvidenceAnswer(
        version=await in_thread(evidence.version),
        records=info.records,
        facts=info.facts,
        damaged=info.damaged,
        sources=list(info.sources),
        files=list(info.files),
    )


@router.get("/damages", operation_id="list_damages")
async def list_damages(request: HttpRequest) -> DamagedRows:
    """List rows of imported files that could not be read, with the reason."""
    await require_viewer(request)
    limit = read_number(request, "limit", 100, 1, MOST_DAMAGES)
    return DamagedRows(rows=list(await in_thread(current().stores.evidence.damages, limit)))


@router.get("/records/{record_id:path}", operation_id="get_record")
async def get_record(request: HttpRequest, record_id: str) -> RecordAnswer:
    """Read a record: where it is from, its facts, its own words."""
    await require_viewer(request)
    return await in_thread(_read_record, record_id)


def _read_record(record_id: str) -> RecordAnswer:
    evidence = current().stores.evidence
    record = evidence.record(record_id)
    if record is None:
        raise NotFound("record not found")
    facts = evidence.facts(FactQuery(record_ids=[record.id]))[:MOST_FACTS]
    return RecordAnswer(
        record_id=record.id,
        source=record.source,
        kind=record.kind,
        title=record.title,
        url=record.url,
        published_on=record.published_on,
        as_of=record.told_on,
        license=record.licence,
        facts=[
            RecordFact(
                subject=stored.fact.subject,
                predicate=stored.fact.predicate,
                value=fact_value(stored.fact),
                conditions=fact_qualifiers(stored.fact.qualifiers),
                as_of=stored.fact.as_of,
                location=stored.fact.locator,
            )
            for stored in facts
        ],
        text=[RecordText(section=span.section, text=span.text) for span in record.spans],
    )


@router.post("/imports", status_code=202, operation_id="import_evidence")
async def import_evidence(request: HttpRequest) -> EvidenceImport:
    """Import files, or one exported pack: multipart parts named `file`; for administrators.

    All files or none; the present evidence goes on working until the new one has passed its
    check. Read the progress with `GET /v1/evidence/imports`.
    """
    caller, bench = await require_administrator(request), current()
    check_form(request)
    limit = bench.settings.upload_limit_mb * MEGABYTE
    files = await read_parts(request, bench.settings.page_upload_mb * MEGABYTE, MOST_FILES)
    try:
        if any((file.size or 0) > limit for file in files):
            raise InvalidInput(
                f"a file has at most {limit:,} bytes here; import larger ones with "
                "python -m api evidence import",
                field="file",
                code="body_too_large",
            )
        await in_thread(start_import, bench, caller, list(map(_named, files)))
    finally:
        for file in files:
            await file.close()
    return await in_thread(_read_import, bench)


def _named(file: UploadFile) -> tuple[str, BinaryIO]:
    return plain_name(file.filename or "file"), file.file


@router.get("/imports", operation_id="get_import")
async def get_import(request: HttpRequest) -> EvidenceImport:
    """Read how far the import is, or what the last one came to."""
    await require_viewer(request)
    return await in_thread(_read_import, current())


def _read_import(bench: Workbench) -> EvidenceImport:
    return EvidenceImport.of(read_state(bench.stores, bench.executor.worker))


@router.post("/exports", status_code=201, operation_id="export_evidence")
async def export_evidence(request: HttpRequest) -> ExportedPack:
    """Write the evidence into one file, in the place of the last export; for administrators."""
    caller = await require_administrator(request)
    path, digest = await in_thread(export_pack, current(), caller)
    url = f"/v1/evidence/exports/{path.name}"
    return ExportedPack(name=path.name, sha256=digest, size=path.stat().st_size, url=url)


@router.get("/exports/{name}", operation_id="download_evidence", response_class=Response)
async def download_evidence(request: HttpRequest, name: str) -> Response:
    """Download the exported evidence; for administrators."""
    await require_administrator(request)
    path = current().settings.home / "evidence" / "carried" / name
    if not _PACK.fullmatch(name) or not path.is_file():
        raise NotFound("export not found; write one with POST /v1/evidence/exports")
    return FileResponse(path, media_type="application/octet-stream", filename=name)


@router.get("/syncs", operation_id="list_syncs")
async def list_syncs(request: HttpRequest) -> AllSyncs:
    """Say how far each live source has been read."""
    await require_viewer(request)
    return await in_thread(_read_syncs)


def _read_syncs() -> AllSyncs:
    bench = current()
    syncing, rows = set(find_syncing(bench)), []
    for source in SYNCED:
        mirror = bench.stores.evidence.mirror(source.name)
        cursor, count = mirror.cursor(), mirror.count()
        rows.append(
            SourceSync(
                source=source.name,
                title=source.title,
                is_syncing=source.name in syncing,
                status=cursor.status,
                message=cursor.message,
                records=count.records,
                withdrawn=count.withdrawn,
                as_of=cursor.high_water,
                synced_at=cursor.synced_at,
            )
        )
    return AllSyncs(sources=rows)


@router.post("/syncs", status_code=202, operation_id="start_sync")
async def sync_evidence(request: HttpRequest) -> AllSyncs:
    """Fetch what changed at registers and regulators; for administrators."""
    caller = await require_administrator(request)
    body = await read_body(StartSync, request)
    names = [source.name for source in find_sources(body.sources)] if body.sources else []
    await in_thread(start_sync, current(), caller, names)
    return await in_thread(_read_syncs)
