"""What is computed by older code is not reused: digests of the source, in a copy of it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRINT = (
    "from core.code_digest import READING, answer_digest, code_digest as of;"
    "print(answer_digest('alerts'), of('stats'), of(*READING), of('evidence/events'))"
)
NAMES = ("answers", "compiled code", "records", "events")


def digests(folder: Path) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", PRINT], cwd=folder, capture_output=True, text=True, check=True
    )
    return dict(zip(NAMES, done.stdout.split(), strict=True))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    left_out = shutil.ignore_patterns("__pycache__", "pack", "*.xz")
    shutil.copytree(ROOT / "core", folder / "core", ignore=left_out)
    shutil.copy(ROOT / "requirements.lock", folder)
    return folder


@pytest.fixture(scope="module")
def before(source: Path) -> dict[str, str]:
    return digests(source)


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        ("core/agents/alerts/pipeline.py", {"answers"}),
        ("core/agents/compound_map/pipeline.py", set()),
        ("core/briefs/memo.py", {"answers"}),
        ("core/stats/counts.py", {"answers", "compiled code"}),
        ("core/vocabulary/event_rules.csv", {"answers", "records"}),
        ("core/evidence/events/rules.py", {"answers", "events"}),
        ("requirements.lock", {"answers"}),
    ],
)
def test_a_change_ends_what_depends_on_it_and_nothing_else(
    source: Path, before: dict[str, str], file: str, changed: set[str]
) -> None:
    path = source / file
    content = path.read_bytes()
    path.write_bytes(content + b"\n")
    try:
        after = digests(source)
    finally:
        path.write_bytes(content)
    assert {name for name in NAMES if before[name] != after[name]} == changed
