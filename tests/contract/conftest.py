"""The description of the API as it is served, and a copy of the product with two more agents."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.service import make_service

ROOT = Path(__file__).resolve().parents[2]
THROWAWAY = ROOT / "tests" / "throwaway"
COPIED = ("core", "api", "storage", "pages", ".streamlit", "tests/contract")
FURTHER = {"letter_count": "twelfth", "target_stages": "evidence"}
"""Agents that the copy has besides, and the folders of `tests/throwaway` that they lie in."""


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the product with two more agents in it; no file that was there changes."""
    copy = tmp_path_factory.mktemp("product")
    ignored = shutil.ignore_patterns("throwaway")  # what is compiled comes along
    for name in (*COPIED, "tests/core/evidence/assets"):
        shutil.copytree(ROOT / name, copy / name, ignore=ignored)
    for name in ("app.py", "pyproject.toml"):
        shutil.copy(ROOT / name, copy / name)
    for slug, folder in FURTHER.items():
        shutil.copytree(THROWAWAY / folder / slug, copy / "core" / "agents" / slug, ignore=ignored)
        shutil.copy(THROWAWAY / folder / "page.py", copy / "pages" / f"{slug}.py")
        own_tests = copy / "tests" / "core" / "agents" / slug
        own_tests.mkdir(parents=True)
        (own_tests / "test_it.py").write_text("def test_nothing() -> None:\n    pass\n")
    return copy


def ask(product: Path, *arguments: str, stdin: str = "") -> str:
    """Run Python in the copy and return what it writes."""
    home = tempfile.mkdtemp(dir=product, prefix="instance-")
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=product,
        env=kept | {"BPW_HOME": home, "BPW_PRELOAD": "0"},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def description() -> dict[str, Any]:
    """Return openapi.json; serving it needs no instance."""
    answer = TestClient(make_service()).get("/v1/openapi.json")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found
