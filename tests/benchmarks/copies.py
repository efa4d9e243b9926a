"""Copies of an instance's evidence, so that a benchmark changes nothing of what it is given."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright import sync_api as playwright

from tests.live import LiveApp, serve
from tests.pages.test_browser import CHROMIUM, FLAGS, sign_in


@contextmanager
def evidence_of(home: Path) -> Iterator[Path]:
    """Yield a new instance that holds the names and the evidence of another, and nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "instance"
        copy.mkdir(mode=0o700)
        shutil.copytree(home / "evidence", copy / "evidence")
        yield copy


@contextmanager
def signed_in(home: Path) -> Iterator[tuple[LiveApp, Any]]:
    """Serve a copy; yield the app and a page of its signed-in administrator."""
    with evidence_of(home) as copy, serve(copy) as app, playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        page = browser.new_context(viewport={"width": 1360, "height": 900}).new_page()
        sign_in(page, app)
        yield app, page
        browser.close()
