"""`/v1/documents/check`: a document in, its statements compared with the evidence out."""

from pathlib import PurePosixPath

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from starlette.responses import Response

from api.auth import require_agent_caller
from api.file_routes import check_form, plain_name, read_part
from api.queries import read_choice
from api.threads import in_thread, look_up
from core.checking.renderings import FORMATS
from core.checking.results import DocumentCheck
from core.documents.guard import MOST_MB
from core.execution.document_checks import SCOPE, check_for, refuse_spent, render_for
from core.settings import MEGABYTE
from core.workbench import current

router = APIRouter(prefix="/documents", tags=["documents"])
MEDIA = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "md": "text/markdown; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@router.post("/check", operation_id="check_document", response_model=DocumentCheck)
async def check_document(request: HttpRequest) -> Response:
    """Compare what a document states with the evidence: docx, pptx, pdf, Markdown or text.

    Send it as multipart form data, one part named `file`. Each sentence is supported, differs, is
    outdated, not covered or not checkable; every verdict names its record. Nothing is kept, no
    macro is run and no link followed. Costs one run of the quota.
    """
    caller = await require_agent_caller(request, SCOPE)
    check_form(request)
    form = read_choice(request, "format", ("json", *FORMATS), "json")
    await look_up(refuse_spent, caller, current())
    upload = await read_part(request, MOST_MB * MEGABYTE)
    try:
        name = plain_name(upload.filename or "document")
        content = await in_thread(upload.file.read)
    finally:
        await upload.close()
    check = await in_thread(check_for, caller, name, content, current())
    headers = {"Cache-Control": "no-store"}
    if form == "json":
        body = check.model_dump_json().encode()
        return Response(body, headers=headers, media_type="application/json")
    chosen = next(each for each in FORMATS if each == form)
    body = await in_thread(render_for, check, chosen, current())
    stem = "".join(char for char in PurePosixPath(name).stem if char.isascii() and char.isalnum())
    headers["Content-Disposition"] = f'attachment; filename="{stem or "document"}-check.{form}"'
    return Response(body, headers=headers, media_type=MEDIA[form])
