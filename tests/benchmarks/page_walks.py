"""Walks through the pages in Chromium, as an analyst goes, each step with its time.

    python -m tests.benchmarks.page_walks HOME [FOLDER FOR PICTURES]

The instance of HOME (its evidence alone) is copied and served.
"""

import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright import sync_api as playwright

from tests.live import LiveApp, serve
from tests.pages.test_browser import CHROMIUM, FLAGS, RUN, sign_in, wait, wait_for_result

QUESTION = "GLP-1 agonists in obesity"


class Walk:
    """A page, and where its pictures go."""

    def __init__(self, page: Any, pictures: Path | None) -> None:
        """Begin with no step."""
        self.page = page
        self.pictures = pictures
        self.steps = 0

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time a step and keep its picture."""
        began = time.perf_counter()
        try:
            yield
        except playwright.Error:
            if self.pictures:
                self.page.screenshot(path=str(self.pictures / "failed.png"))
            raise
        sys.stdout.write(f"{name:<58}{time.perf_counter() - began:7.2f} s\n")
        sys.stdout.flush()
        self.steps += 1
        if self.pictures:
            self.page.screenshot(path=str(self.pictures / f"{self.steps:02}.png"))


def walk_landscape(walk: Walk, app: LiveApp) -> None:
    """Question, landscape, drug, its company, back; a filtered presentation."""
    page = walk.page
    with walk.step("home to the landscape's form, filled"):
        page.goto(app.url)
        wait(page)
        page.get_by_placeholder(re.compile("A drug, company")).fill(QUESTION)
        page.keyboard.press("Enter")
        wait(page)
        page.get_by_role("link", name=re.compile("Landscape$")).last.click()
        wait(page)
    with walk.step("run to the answer, by Ctrl+Enter"):
        page.keyboard.press("Control+Enter")
        wait_for_result(page)
    with walk.step("filter by stage"):
        page.get_by_label("Stage").first.click()
        page.get_by_role("option", name="approved").click()
        page.keyboard.press("Escape")
        wait(page)
    answer = page.url
    with walk.step("filtered slides saved"), page.expect_download(timeout=60_000):
        page.get_by_role("button", name=re.compile("Export")).click()
        page.get_by_role("button", name="PPTX").click()
    page.get_by_role("heading", level=1).click()
    wait(page)
    with walk.step("first row opened"):
        box = page.locator("[data-testid=stDataFrame]").first.bounding_box()
        page.mouse.click(box["x"] + 90, box["y"] + 52)  # ends the menu of exports
        page.mouse.click(box["x"] + 90, box["y"] + 52)
        page.get_by_role("dialog").wait_for(timeout=20_000)
        wait(page)
    with walk.step("its company's form, filled"):
        page.get_by_role("dialog").get_by_role("link", name=re.compile("Assets of")).first.click()
        wait(page)
    with walk.step("the company's assets"):
        page.get_by_role("button", name=RUN).click()
        wait_for_result(page)
    with walk.step("back to the answer, its filter kept"):
        page.goto(answer)
        wait_for_result(page)


def walk_share(walk: Walk, app: LiveApp, context: Any) -> None:
    """The owner makes a link, another account opens it."""
    page = walk.page
    with walk.step("link made"):
        page.get_by_role("button", name=re.compile("Share")).click()
        page.get_by_role("button", name=re.compile("Make a link")).click()
        address = page.locator("code", has_text="shared=").inner_text(timeout=20_000)
        wait(page)
    made = app.cli("users", "create", "--name", "reader").stdout.decode()
    password = made.split()[-1]
    other = context.browser.new_context(viewport={"width": 1360, "height": 900})
    reader = other.new_page()
    reader.goto(app.url)
    reader.locator("input:not([type=password]):not([type=hidden])").fill("reader")
    reader.locator("input[type=password]").fill(password)
    reader.keyboard.press("Enter")
    wait(reader)
    shared = Walk(reader, None)
    with shared.step("link opened by another account"):
        reader.goto(address)
        wait_for_result(reader)
    if walk.pictures:
        reader.screenshot(path=str(walk.pictures / "shared.png"))


def main(home: Path, pictures: Path | None) -> None:
    """Walk.

    Args:
        home: An instance whose evidence is copied.
        pictures: Where pictures of each step go.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "instance"
        copy.mkdir(mode=0o700)
        shutil.copytree(home / "evidence", copy / "evidence")
        with serve(copy) as app, playwright.sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
            context = browser.new_context(viewport={"width": 1360, "height": 900})
            page = context.new_page()
            sign_in(page, app)
            walk = Walk(page, pictures)
            walk_landscape(walk, app)
            walk_share(walk, app, context)
            browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
