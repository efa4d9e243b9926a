"""Names to structures by OPSIN, and programs that misbehave."""

import shutil
import time
from pathlib import Path

import pytest

from core.chemistry import names
from core.chemistry.names import read_names
from core.chemistry.processes import run_tool
from core.errors import ExecutionError

IMATINIB = (
    "4-[(4-methylpiperazin-1-yl)methyl]-N-[4-methyl-3-[(4-pyridin-3-ylpyrimidin-2-yl)amino]"
    "phenyl]benzamide"
)


@pytest.mark.skipif(shutil.which("java") is None, reason="no Java (Debian: default-jre-headless)")
def test_systematic_names_become_structures():
    found = read_names([IMATINIB, "no name at all", "2-acetoxybenzoic acid", IMATINIB])
    assert set(found) == {IMATINIB, "2-acetoxybenzoic acid"}
    assert found["2-acetoxybenzoic acid"] == "C(C)(=O)OC1=C(C(=O)O)C=CC=C1"


def test_names_that_could_confuse_the_program_are_not_asked(monkeypatch):
    asked = []
    monkeypatch.setattr(names, "has_java", lambda: True)
    monkeypatch.setattr(names, "run_tool", lambda _c, text, **_k: asked.append(text) or "C\n")
    assert read_names(["methane", "eth\nane", "", "a" * 2000]) == {"methane": "C"}
    assert asked == ["methane\n"]


def test_without_java_no_name_is_read(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert read_names(["methane"]) == {}


def test_a_slow_program_is_ended_with_its_children(tmp_path):
    mark = tmp_path / "child"
    began = time.monotonic()
    script = f"sleep 600 & echo $! > {mark}; wait"
    assert run_tool(["sh", "-c", script], timeout_s=1.0) is None
    assert time.monotonic() - began < 60
    child = int(mark.read_text())
    for _ in range(100):
        if _state(child) == "Z":
            return
        time.sleep(0.05)
    pytest.fail("the child lives on")


def _state(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return "Z"


def test_a_program_that_fails_answers_nothing():
    assert run_tool(["sh", "-c", "echo half; exit 3"], timeout_s=20) is None
    assert run_tool(["cat"], "text", timeout_s=20) == "text"


def test_more_names_than_fit_are_read_in_portions_and_none_is_lost(monkeypatch):
    monkeypatch.setattr(names, "MOST_NAMES", 2)
    portions = []
    monkeypatch.setattr(
        names, "try_names", lambda part: portions.append(part) or dict.fromkeys(part, "C")
    )
    assert list(names.read_names(["a", "b", "a", "c"])) == ["a", "b", "c"]
    assert portions == [["a", "b"], ["c"]]
    monkeypatch.setattr(names, "try_names", lambda _: None)
    with pytest.raises(ExecutionError, match="in time"):
        names.read_names(["a"])
