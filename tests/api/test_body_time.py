"""Bodies must come, and one caller has few large ones read at the same time."""

import asyncio
import time
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.types import Message

from api import bodies
from api.bodies import MOST_LARGE, Pace, bounded_chunks
from api.page_uploads import PageUploads
from core.errors import InvalidInput
from core.settings import Settings
from core.workbench import install

MEGABYTE = 1024 * 1024


def request_of(parts: AsyncIterator[bytes], length: int, caller_id: int | None = 1) -> Request:
    """Return a request whose body comes as these parts."""

    async def receive() -> Message:
        try:
            return {"type": "http.request", "body": await anext(parts), "more_body": True}
        except StopAsyncIteration:
            return {"type": "http.request", "body": b"", "more_body": False}

    headers = [(b"content-length", b"%d" % length)]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers, "app": Starlette()}
    request = Request(scope, receive)
    request.state.caller_id = caller_id
    return request


async def drip(every_s: float, part: bytes = b"x") -> AsyncIterator[bytes]:
    while True:
        await asyncio.sleep(every_s)
        yield part


async def read(request: Request, limit: int = 60 * MEGABYTE) -> int:
    return sum([len(chunk) async for chunk in bounded_chunks(request, limit)])


def test_body_that_only_drips_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "PATIENCE_S", 0.4)
    began = time.monotonic()
    with pytest.raises(InvalidInput, match="less than 64 kB a second"):
        asyncio.run(read(request_of(drip(0.02), 60 * MEGABYTE)))
    assert time.monotonic() - began < 3


def test_body_that_comes_steadily_is_read_however_long_it_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bodies, "PATIENCE_S", 0.2)

    async def steady() -> AsyncIterator[bytes]:
        for _ in range(20):
            await asyncio.sleep(0.03)
            yield bytes(MEGABYTE)

    assert asyncio.run(read(request_of(steady(), 20 * MEGABYTE))) == 20 * MEGABYTE


def test_pace_is_a_minute_and_64_kilobytes_a_second() -> None:
    assert 59 < Pace().left_s(0) <= 60
    assert 1_019 < Pace().left_s(60 * MEGABYTE) <= 1_020


def test_large_bodies_of_one_caller_are_read_few_at_a_time() -> None:
    """Others of the same caller wait unread; another caller's and small ones do not."""
    begun: list[int] = []

    async def hold(number: int) -> AsyncIterator[bytes]:
        begun.append(number)
        yield b"x"
        await asyncio.sleep(30)

    async def attack() -> None:
        held = [
            asyncio.create_task(read(request_of(hold(number), 60 * MEGABYTE)))
            for number in range(12)
        ]
        await asyncio.sleep(0.2)
        assert len(begun) == MOST_LARGE
        small = asyncio.create_task(read(request_of(hold(100), 1_000)))
        other = asyncio.create_task(read(request_of(hold(101), 60 * MEGABYTE, caller_id=2)))
        await asyncio.sleep(0.1)
        assert begun[MOST_LARGE:] == [100, 101]
        held[0].cancel()
        await asyncio.sleep(0.1)
        assert len(begun) == MOST_LARGE + 3
        for task in (*held, small, other):
            task.cancel()
        await asyncio.gather(*held, small, other, return_exceptions=True)

    asyncio.run(attack())


class TestPages:
    """Files that people choose in a page."""

    @pytest.fixture(autouse=True)
    def _installed(self) -> Any:
        settings = Settings(page_upload_mb=3)
        install(SimpleNamespace(settings=settings))  # type: ignore[arg-type]
        yield
        install(None)

    @pytest.fixture
    def held(self, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
        files: dict[str, dict[str, Any]] = {}
        monkeypatch.setattr("api.page_uploads.held_files", lambda: files)
        return files

    @pytest.fixture
    def door(self, held: dict[str, dict[str, Any]]) -> PageUploads:
        async def keep(scope: Any, receive: Any, send: Any) -> None:
            size = int(dict(scope["headers"])[b"content-length"])
            _, session, file = scope["path"].rsplit("/", 2)
            held.setdefault(session, {})[file] = SimpleNamespace(data=bytes(size))
            await send({"type": "http.response.start", "status": 204, "headers": []})

        return PageUploads(keep)

    def put(self, door: PageUploads, file: str, size: int | None, user_id: int = 1) -> int:
        seen: list[Message] = []

        async def send(message: Message) -> None:
            seen.append(message)

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        headers = [] if size is None else [(b"content-length", b"%d" % size)]
        state = {"caller": SimpleNamespace(user_id=user_id)}
        path = f"/_stcore/upload_file/session-{user_id}/{file}"
        scope = {"type": "http", "method": "PUT", "path": path, "headers": headers, "state": state}
        asyncio.run(door(scope, receive, send))
        return int(seen[0]["status"])

    def test_what_one_person_holds_is_bounded(
        self, door: PageUploads, held: dict[str, dict[str, Any]]
    ) -> None:
        answers = [self.put(door, f"file{number}", MEGABYTE) for number in range(5)]
        assert answers == [204, 204, 204, 413, 413]
        assert self.put(door, "file", MEGABYTE, user_id=2) == 204
        del held["session-1"]["file0"]
        assert self.put(door, "file9", MEGABYTE) == 204

    def test_length_must_be_told(self, door: PageUploads) -> None:
        assert self.put(door, "file", None) == 411
