"""Files that people choose in a page: what one person's pages hold in memory is bounded.

The pages keep a chosen file in memory until its session ends, and take any number of them. This
stands before that door, counts what a person's sessions hold and what is coming, and refuses more.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime import Runtime
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from api.bodies import SILENCE_S, Pace
from core.settings import MEGABYTE
from core.workbench import current

FOLDER = "/_stcore/upload_file/"
MOST_FILES = 200
Held = Mapping[str, Mapping[str, UploadedFileRec]]


def held_files() -> Held:
    """Return the files that the pages hold: by session, then by file."""
    if not Runtime.exists():
        return {}
    files: Held = getattr(Runtime.instance().uploaded_file_mgr, "file_storage", {})
    return files


class PageUploads:
    """ASGI middleware behind the gate."""

    def __init__(self, app: ASGIApp) -> None:
        """Keep the application; nobody has sent anything yet."""
        self.app = app
        self._owners: dict[tuple[str, str], int] = {}
        self._coming = Counter[int]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let an upload through, or refuse it before it is read."""
        if scope["type"] != "http" or not scope["path"].startswith(FOLDER):
            await self.app(scope, receive, send)
            return
        caller = scope.get("state", {}).get("caller")
        if scope["method"] != "PUT" or caller is None:
            await self.app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "")
        if not declared.isdigit():
            await _refuse(411, "send the length of the file", scope, receive, send)
            return
        size, owner = int(declared), caller.user_id
        if not self._has_room(owner, size):
            words = "your pages hold too many files; close some, or wait for the others"
            await _refuse(413, words, scope, receive, send)
            return
        session, _, file = scope["path"].removeprefix(FOLDER).partition("/")
        self._owners[session, file] = owner
        self._coming[owner] += size
        try:
            await self.app(scope, _paced(receive), send)
        finally:
            self._coming[owner] -= size

    def _has_room(self, owner: int, size: int) -> bool:
        """Return whether a person's pages may hold so much more."""
        uploads = held_files()
        present = {
            owner: uploads[owner[0]].get(owner[1]) for owner in self._owners if owner[0] in uploads
        }
        sizes = [
            len(file.data)
            for key, file in present.items()
            if file is not None and self._owners[key] == owner
        ]
        if not any(self._coming.values()):  # forgets what the pages have let go
            self._owners = {key: self._owners[key] for key, file in present.items() if file}
        limit = current().settings.page_upload_mb * MEGABYTE
        return len(sizes) < MOST_FILES and sum(sizes) + self._coming[owner] + size <= limit


def _paced(receive: Receive) -> Receive:
    """Return what reads a body that must keep coming."""
    pace, size = Pace(), 0

    async def read() -> Message:
        nonlocal size
        try:
            message = await asyncio.wait_for(receive(), min(SILENCE_S, pace.left_s(size)))
        except TimeoutError:
            return {"type": "http.disconnect"}
        size += len(message.get("body", b""))
        return message

    return read


async def _refuse(status: int, words: str, scope: Scope, receive: Receive, send: Send) -> None:
    headers = {"Cache-Control": "no-store", "Connection": "close"}
    await PlainTextResponse(words, status, headers=headers)(scope, receive, send)
