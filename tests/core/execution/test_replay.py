"""Replays: the lines of sources that were not asked, changed settings, damaged answers."""

import json
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.cli import main
from core.errors import ExecutionError
from core.evidence.sources.live.replies import RunReplies
from core.evidence.sources.live.web import Site
from core.settings import read_settings
from storage.blobs import BlobStore
from storage.stores import NoteStore
from tests.core.evidence.loopback import Loopback, Sent, as_json, serving
from tests.instances import link, names_home

REQUEST = {"query": "semaglutide", "include_live_discovery": True}
NO_HITS = {
    "hits": {"total": {"value": 0}, "hits": []},  # EDGAR
    "count": 0,  # Federal Register
    "results": [],
    "studies": [],  # ClinicalTrials.gov
    "totalCount": 0,
}
SOURCES = ("ctgov", "federal-register", "sec-filings")
ALLOWED = {"BPW_LIVE_SOURCES": ",".join(SOURCES)}
CONTACT = {"BPW_CONTACT": "bench@example.org"}


class Bench:
    """An instance that is asked over the command line, with settings that change."""

    def __init__(self, folder: Path, server: Loopback) -> None:
        self.home = link(names_home(), folder / "instance")
        self._folder = folder
        self._settings = {
            "BPW_HOME": str(self.home),
            "BPW_LIVE_ADDRESSES": json.dumps(dict.fromkeys(SOURCES, server.address)),
        }
        self.server = server

    def call(self, name: str, arguments: list[str], settings: dict[str, str]) -> tuple[int, Any]:
        """Return the exit code of a command and what it wrote."""
        output = self._folder / name
        with pytest.MonkeyPatch.context() as patch:
            for variable in ("BPW_LIVE_SOURCES", "BPW_CONTACT", "BPW_OFFLINE"):
                patch.delenv(variable, raising=False)
            for variable, value in {**self._settings, **settings}.items():
                patch.setenv(variable, value)
            read_settings.cache_clear()
            code = main([*arguments, "--output", str(output)])
        read_settings.cache_clear()
        return code, json.loads(output.read_bytes() or b"null")

    def run(self, settings: dict[str, str]) -> dict[str, Any]:
        """Return the envelope of a run."""
        request = self._folder / "request.json"
        request.write_text(json.dumps(REQUEST))
        code, answer = self.call(
            "run.json", ["run", "new-developments", "--input", str(request)], settings
        )
        assert code == 0
        return dict(answer)

    def replay(self, run_id: str, settings: dict[str, str]) -> tuple[int, Any]:
        """Return the exit code of a replay, 0 for an equal answer, and the answer."""
        return self.call("replay.json", ["replay", run_id], settings)

    def replies(self) -> dict[str, Path]:
        """Return the files of stored answers by the source that gave them."""
        files = {}
        with sqlite3.connect(self.home / "workbench.db") as database:
            rows = database.execute("select name, sha256 from run_artifact where kind = 'reply'")
            for name, sha256 in rows:
                files[name.partition(" ")[0]] = self.home / "blobs" / sha256[:2] / sha256
        return files


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with serving(lambda _: as_json(NO_HITS)) as server:
        yield Bench(tmp_path, server)


@pytest.fixture(scope="module")
def stored_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, str]]:
    """Return a bench and the run that it has made once for all damages."""
    with serving(lambda _: as_json(NO_HITS)) as server:
        bench = Bench(tmp_path_factory.mktemp("stored"), server)
        yield bench, bench.run(ALLOWED | CONTACT)["run_id"]


@pytest.mark.parametrize(
    ("then", "now", "warning"),
    [
        (ALLOWED | CONTACT, {}, ""),
        (ALLOWED | CONTACT, ALLOWED, ""),
        (ALLOWED, ALLOWED | CONTACT, "source_not_configured: SEC EDGAR"),
        (ALLOWED | CONTACT | {"BPW_OFFLINE": "1"}, ALLOWED | CONTACT, "source_offline: Federal"),
        ({"BPW_LIVE_SOURCES": "ctis"}, ALLOWED | CONTACT, ""),
        ({}, ALLOWED | CONTACT, "BPW_LIVE_SOURCES"),
    ],
)
def test_a_replay_follows_the_settings_of_its_run(
    bench: Bench, then: dict[str, str], now: dict[str, str], warning: str
) -> None:
    live = bench.run(then)
    n_asked = len(bench.server.asked)
    assert warning in " ".join(live["data"]["warnings"])
    code, again = bench.replay(live["run_id"], now)
    assert (code, again["data"]) == (0, live["data"])
    assert len(bench.server.asked) == n_asked


@pytest.mark.parametrize("part", ["sec-filings", "conditions"])
@pytest.mark.parametrize("content", [None, b"", b"[]", zlib.compress(b'{"status": 200}\n{}')])
def test_a_stored_answer_that_is_missing_or_damaged_is_named(
    stored_run: tuple[Bench, str],
    capsys: pytest.CaptureFixture[str],
    part: str,
    content: bytes | None,
) -> None:
    bench, run_id = stored_run
    stored = bench.replies()[part]
    whole = stored.read_bytes()
    stored.unlink()
    if content is not None:
        stored.write_bytes(content)
    code, answer = bench.replay(run_id, ALLOWED | CONTACT)
    stored.unlink(missing_ok=True)
    stored.write_bytes(whole)
    assert (code, answer) == (1, None)
    (line,) = capsys.readouterr().err.strip().splitlines()[-1:]
    assert part in line
    assert stored.name in line


QUESTION = "GET /x "
GOOD = {"request": QUESTION, "status": 200, "content_type": "application/json", "headers": {}}
FAILURE = {"status": "unavailable", "message": "away", "detail": "", "is_too_large": False}


@pytest.mark.parametrize(
    "head",
    [
        [],
        "x",
        None,
        {},
        GOOD | {"request": "GET /y "},
        GOOD | {"status": "200"},
        GOOD | {"status": 500},
        GOOD | {"content_type": None},
        GOOD | {"headers": []},
        GOOD | {"headers": {"etag": 1}},
        {"request": QUESTION, "failure": "away"},
        {"request": QUESTION, "failure": FAILURE | {"status": "empty"}},
        {"request": QUESTION, "failure": FAILURE | {"message": None}},
        {"request": QUESTION, "failure": FAILURE | {"other": 1}},
    ],
)
def test_an_answer_of_another_form_is_none_to_a_replay_and_is_asked_for_in_a_run(
    tmp_path: Path, head: object
) -> None:
    blobs, notes = BlobStore(tmp_path / "blobs"), NoteStore(tmp_path / "live.db")
    with serving(lambda _: Sent(b"{}", headers={"Content-Type": "application/json"})) as server:

        def ask(replies: RunReplies) -> bytes:
            site = Site("acme", server.address, pause_s=0.0, kept=replies)
            content = site.ask("GET", "/x").content
            site.accept()
            return content

        first = RunReplies(notes, blobs, "2026-11-28")
        assert ask(first) == b"{}"
        (part,) = first.parts
        assert ask(RunReplies(notes, blobs, "2026-11-28", stored={part.name: part.sha256})) == b"{}"
        assert len(server.asked) == 1
        forged = blobs.put(zlib.compress(json.dumps(head).encode() + b"\n{}")).sha256
        with pytest.raises(ExecutionError, match=part.name):
            ask(RunReplies(notes, blobs, "2026-11-28", stored={part.name: forged}))
        RunReplies(notes, blobs, "2026-11-28").keep("acme", QUESTION.encode(), forged)
        assert ask(RunReplies(notes, blobs, "2026-11-28")) == b"{}"
        assert len(server.asked) == 1 + 1
