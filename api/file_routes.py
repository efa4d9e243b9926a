"""`/v1/files`: uploads, each visible to its owner alone."""

from collections.abc import AsyncIterator, Iterator

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from api.auth import require_caller, require_writer
from api.bodies import bounded_chunks
from api.errors import exchange_of
from api.models import Done, FileAnswer, FileList
from api.threads import in_thread, look_up
from api.validation import printable
from core.errors import InvalidInput
from core.records.runs import Caller, UploadedFile
from core.settings import MEGABYTE
from core.workbench import current

router = APIRouter(prefix="/files", tags=["files"])
_FRAME = 64 * 1024
_CHUNK = 1 << 20


@router.post("", status_code=201, operation_id="upload_file")
async def upload_file(request: HttpRequest) -> FileAnswer:
    """Take a file as multipart form data (one part named `file`) and return its id."""
    caller = await require_writer(request)
    limit = current().settings.upload_limit_mb * MEGABYTE
    check_form(request)
    await look_up(current().stores.files.check_room, caller.user_id)
    upload = await read_part(request, limit)
    try:
        return FileAnswer.of(await in_thread(keep, caller, upload, limit))
    finally:
        await upload.close()


def check_form(request: HttpRequest) -> None:
    """Refuse a body that is no form. Raises InvalidInput (`wrong_content_type`)."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        raise InvalidInput(
            "send the file as multipart/form-data with one part named file",
            code="wrong_content_type",
        )


class FormParser(MultiPartParser):
    """Notes whether the form came to its end; the stock parser takes half a file for none."""

    is_whole = False

    def on_end(self) -> None:
        """Note the last boundary."""
        self.is_whole = True


async def read_part(request: HttpRequest, limit: int) -> UploadFile:
    """Return the part named `file`; raises like `read_parts`."""
    return (await read_parts(request, limit))[0]


async def read_parts(request: HttpRequest, limit: int, most: int = 1) -> list[UploadFile]:
    """Return the parts named `file`.

    Args:
        request: A form.
        limit: Bytes of all parts together.
        most: Parts.

    Raises:
        InvalidInput: The form is malformed, too large, or holds no such part.
    """

    async def stream() -> AsyncIterator[bytes]:
        async for chunk in bounded_chunks(request, limit + most * _FRAME):
            yield chunk
        if not parser.is_whole:
            raise MultiPartException("the last boundary is missing")

    parser = FormParser(request.headers, stream(), max_files=most, max_fields=10)  # type: ignore[arg-type]
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError):
        exchange_of(request).close = True
        raise InvalidInput(
            f"the form could not be read; send {_parts(most)}", code="malformed_form"
        ) from None
    files = [part for part in form.getlist("file") if isinstance(part, UploadFile)]
    unknown = next((name for name in form if name != "file"), None)
    if files and unknown is None:
        return files
    await form.close()
    if files and unknown is not None:
        raise InvalidInput(
            f"the form takes {_parts(most)}; remove the others",
            field=printable(unknown),
            code="unknown_field",
        )
    raise InvalidInput(
        "the form has no file in a part named file", field="file", code="missing_field"
    )


def _parts(most: int) -> str:
    return "one part, named file" if most == 1 else f"1 to {most} parts, each named file"


def keep(caller: Caller, upload: UploadFile, limit: int) -> UploadedFile:
    """Store the part's bytes and register them for the caller."""

    def chunks() -> Iterator[bytes]:
        while chunk := upload.file.read(_CHUNK):
            yield chunk

    stores = current().stores
    blob = stores.blobs.put_stream(chunks(), limit=limit)
    return stores.files.add(caller.user_id, plain_name(upload.filename or "file"), blob)


def plain_name(name: str) -> str:
    """Return a client's file name as a label: last part, printable, at most 120 characters."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(char for char in last if char.isprintable())[:120] or "file"


@router.get("", operation_id="list_files")
async def list_files(request: HttpRequest) -> FileList:
    """List your uploads, newest first."""
    caller = await require_caller(request)
    files = await look_up(current().stores.files.list, caller.user_id)
    return FileList(files=[FileAnswer.of(file) for file in files])


@router.delete("/{file_id}", operation_id="delete_file")
async def delete_file(request: HttpRequest, file_id: str) -> Done:
    """Delete one of your uploads."""
    caller = await require_writer(request)
    await in_thread(current().stores.files.delete, caller.user_id, file_id)
    return Done(status="deleted")
