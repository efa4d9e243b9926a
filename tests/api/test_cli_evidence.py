"""`evidence import|info|export` on the command line, and an import that is killed."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api.cli import main
from core.errors import OutOfMemory
from core.execution.limits import bounded_memory
from core.settings import read_settings
from storage.evidence import open_evidence
from tests.core.evidence.loopback import serving
from tests.core.evidence.patent_files import make_patent
from tests.core.evidence.register_server import make_study, register

ROWS = "nct_id,brief_title,interventions,overall_status,snapshot_date\n"


@pytest.fixture
def use_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Return what makes a folder the instance of the commands that follow."""
    monkeypatch.delenv("DATABASE_URL", raising=False)

    def use(name: str) -> None:
        monkeypatch.setenv("BPW_HOME", str(tmp_path / name))
        read_settings.cache_clear()

    yield use
    read_settings.cache_clear()


def table(path: Path, rows: int, first: int = 1) -> Path:
    """Write a table of trials."""
    numbers = range(first, first + rows)
    lines = [f"NCT{n:08d},Drug A,DRUG:A,COMPLETED,2025-01-01\n" for n in numbers]
    path.write_text(ROWS + "".join(lines))
    return path


def test_a_pack_is_imported_shown_and_carried(
    use_home: Callable[[str], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    use_home("old")
    path = table(tmp_path / "t.csv", 3)
    with path.open("a") as more:
        more.write("no trial\n")
    assert main(["evidence", "import", str(path)]) == 0
    told = capsys.readouterr()
    assert told.out == "t.csv\ttrials\t3 records\t1 damaged\n"
    assert "skipped t.csv:5: 1 columns instead of 5" in told.err
    assert main(["evidence", "export", str(tmp_path / "carried.pack")]) == 0
    use_home("new")
    assert main(["evidence", "import", str(tmp_path / "carried.pack")]) == 0
    capsys.readouterr()
    assert main(["evidence", "info"]) == 0
    assert "source\tctgov\t3\t2025-01-01 to 2025-01-01" in capsys.readouterr().out


def test_a_sync_brings_what_changed_and_says_so(
    use_home: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    use_home("home")
    studies = [make_study("NCT90000001", "alphamab", "Acme", "asthma", "2026-11-20")]
    with serving(register(studies)) as server:
        monkeypatch.setenv("BPW_LIVE_ADDRESSES", json.dumps({"ctgov": server.address}))
        assert main(["evidence", "sync", "--source", "ctgov", "--since", "2026-11-01"]) == 0
        assert "status\tanswered" in capsys.readouterr().out
        assert main(["evidence", "sync", "--source", "ctgov"]) == 0
        assert "status\tunchanged" in capsys.readouterr().out
        assert main(["evidence", "sync", "--since", "soon"]) == 1
        assert main(["evidence", "sync", "--since", "2999-01-01"]) == 1
        assert main(["evidence", "verify", "--sources"]) == 0
        assert "trials.csv\t0 confirmed\t0 in conflict\t" in capsys.readouterr().out
        assert main(["live", "check", "--source", "ctgov"]) == 0
        assert capsys.readouterr().out == "ctgov\tsame\n"
        asked = len(server.asked)
        monkeypatch.setenv("BPW_OFFLINE", "yes")
        read_settings.cache_clear()
        assert main(["evidence", "sync"]) == 1
        assert "BPW_OFFLINE" in capsys.readouterr().err
        assert main(["live", "check"]) == 1
        assert len(server.asked) == asked
    assert main(["evidence", "info"]) == 0
    assert "source\tctgov\t1\t2026-11-20 to 2026-11-20" in capsys.readouterr().out


def test_a_source_that_fails_is_named_and_the_others_go_on(
    use_home: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    use_home("home")
    studies = [make_study("NCT90000001", "alphamab", "Acme", "asthma", "2026-11-20")]
    mirror = open_evidence(read_settings()).mirror("ema-letters")
    names = ("ema", "ema-letters", "dailymed", "ctgov")
    with serving(register(studies)) as server, mirror.alone():
        addresses = dict.fromkeys(names, "http://127.0.0.1:9") | {"ctgov": server.address}
        monkeypatch.setenv("BPW_LIVE_ADDRESSES", json.dumps(addresses))
        read_settings.cache_clear()
        sources = [word for name in names for word in ("--source", name)]
        assert main(["evidence", "sync", *sources, "--since", "2026-11-01"]) == 1
    told = capsys.readouterr()
    statuses = re.findall(r"source\t(\S+)\nstatus\t(\S+)", told.out)
    assert dict(statuses) == dict.fromkeys(names, "unavailable") | {"ctgov": "answered"}
    assert "ema-letters: a sync of ema-letters is already running" in told.err
    assert "dailymed: dailymed did not answer" in told.err


def test_a_missing_file_and_an_unknown_kind_fail_in_words(
    use_home: Callable[[str], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    use_home("home")
    assert main(["evidence", "import", str(tmp_path / "none.csv")]) == 1
    assert main(["evidence", "import", str(table(tmp_path / "t.csv", 1)), "--kind", "x"]) == 1
    told = capsys.readouterr().err
    assert "no file or folder none.csv" in told
    assert "there is no kind of file 'x'" in told


def test_a_killed_import_leaves_the_old_pack_working(
    use_home: Callable[[str], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    use_home("home")
    assert main(["evidence", "import", str(table(tmp_path / "few.csv", 2))]) == 0
    many = table(tmp_path / "many.csv", 60_000, first=100)
    child = subprocess.Popen(
        [sys.executable, "-m", "api", "evidence", "import", str(many)],
        env={**os.environ, "BPW_HOME": str(tmp_path / "home")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    beside = tmp_path / "home" / "evidence" / "pack.next"
    deadline = time.monotonic() + 60
    while not (beside.exists() and beside.stat().st_size > 1_000_000):
        assert child.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    assert child.wait(10) == -signal.SIGKILL
    capsys.readouterr()
    assert main(["evidence", "info"]) == 0
    assert "records\t2\n" in capsys.readouterr().out
    assert main(["evidence", "import", str(table(tmp_path / "more.csv", 1, first=50))]) == 0
    assert not beside.exists()


def test_a_kind_may_stand_before_the_files(
    use_home: Callable[[str], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in `evidence import uspto-chem FILE`; a file of that name is still a file."""
    use_home("old")
    path = tmp_path / "week.json"
    path.write_text(json.dumps([make_patent()]))
    assert main(["evidence", "import", "uspto-chem", str(path)]) == 0
    assert capsys.readouterr().out == "week.json\tuspto-chem\t1 records\t0 damaged\n"
    assert main(["evidence", "import", "uspto-chem"]) == 1
    assert "there is no file or folder uspto-chem" in capsys.readouterr().err


def test_an_import_keeps_to_the_memory_of_a_run(tmp_path: Path) -> None:
    path = tmp_path / "studies.json"
    path.write_bytes(b'[{"protocolSection": {}}, ' + b"[]," * 20_000_000 + b"[]]")
    done = subprocess.run(
        [sys.executable, "-m", "api", "evidence", "import", str(path)],
        env={**os.environ, "BPW_HOME": str(tmp_path / "one"), "BPW_MEMORY_LIMIT_MB": "1024"},
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"1,024 MB of memory" in done.stderr


def test_memory_is_bounded_for_a_while_only() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(OutOfMemory), bounded_memory(1 << 16):
        raise MemoryError
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
