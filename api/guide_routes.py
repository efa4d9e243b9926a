"""`/docs`: the guides, built once for each release and served without a network."""

import hashlib
import shutil
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path

import structlog
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from api.threads import in_thread
from core.code_digest import code_digest
from core.workbench import current

ROOT = Path(__file__).resolve().parents[1]
_GUIDES = ROOT / "docs"
_CONFIG = ROOT / "mkdocs.yml"
_BUILD_S = 120
_AGAIN_S = 60.0
"""Seconds after a failed build before the next one: anybody may ask for these pages."""
_building = threading.Lock()
_failures: dict[Path, tuple[float, str]] = {}


def guides_folder(home: Path, *options: str) -> Path:
    """Return the folder with the pages of this release, which are built when they are missing.

    Args:
        home: The instance folder; pages of earlier releases in it are removed.
        options: Further options of `mkdocs build`.

    Raises:
        OSError: The folder cannot be written, or the pages cannot be built.
    """
    target = home / "docs" / _release()
    with _building:
        failed_at, reason = _failures.get(target, (-_AGAIN_S, ""))
        if not target.exists() and time.monotonic() - failed_at < _AGAIN_S:
            raise OSError(reason)
        if not target.exists():
            draft = target.with_name(f".{target.name}")
            shutil.rmtree(home / "docs", ignore_errors=True)
            command = ["-m", "mkdocs", "build", "-q", "-f", str(_CONFIG), *options]
            try:
                subprocess.run(
                    [sys.executable, *command, "-d", str(draft.resolve())],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    check=True,
                    timeout=_BUILD_S,
                )
                draft.rename(target)
            except (OSError, subprocess.SubprocessError) as failure:
                output = getattr(failure, "stderr", None) or b""
                reason = output.decode("utf-8", "replace").strip()[-500:] or str(failure)
                _failures[target] = (time.monotonic(), reason)
                raise OSError(reason) from failure
    return target


@cache
def _release() -> str:
    """Return what changes with the guides and with the code that their tables come from."""
    digest = hashlib.sha256(code_digest().encode())
    for path in (_CONFIG, ROOT / "NOTICE", *sorted(_GUIDES.rglob("*.*"))):
        if path.suffix != ".pyc":
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


async def _serve(scope: Scope, receive: Receive, send: Send) -> None:
    try:
        folder = await in_thread(guides_folder, current().settings.home)
    except OSError as failure:
        structlog.get_logger("api").error("guides not built", reason=str(failure))
        answer: Response = PlainTextResponse("the guides could not be built; see the log", 500)
        await answer(scope, receive, send)
        return
    await StaticFiles(directory=folder, html=True)(scope, receive, send)


async def _to_index(request: Request) -> Response:
    return RedirectResponse("/docs/index.html", status_code=308)


ROUTES = [Route("/docs", _to_index), Mount("/docs", _serve)]
