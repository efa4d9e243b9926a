"""Walks through the pages in Chromium, as an analyst goes, each step with its time.

    python -m tests.benchmarks.page_walks HOME [FOLDER FOR PICTURES]

The instance of HOME (its evidence alone) is copied and served.
"""

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright import sync_api as playwright

from tests.benchmarks.copies import signed_in
from tests.live import LiveApp
from tests.pages.test_browser import tab_to, wait, wait_for_result

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


def open_row(page: Any) -> None:
    """Open the first row's drawer; the first click may only end a menu that is open."""
    for _ in range(3):
        box = page.locator("[data-testid=stDataFrame]").first.bounding_box()
        page.mouse.click(box["x"] + 90, box["y"] + 52)
        try:
            page.get_by_role("dialog").wait_for(timeout=8_000)
            break
        except playwright.TimeoutError:
            continue
    wait(page)


def walk_entities(walk: Walk, app: LiveApp) -> None:
    """A code typed into the bar to its drug, its field, a project, and the project's slides."""
    page = walk.page
    page.goto(app.url)
    wait(page)
    with walk.step("bar: AK112 typed to the drug's page"):
        page.keyboard.press("/")
        page.keyboard.type("AK112")
        page.wait_for_timeout(300)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="ivonescimab", level=1).wait_for()
    wait(page)
    with walk.step("card added to a project"):
        page.get_by_role("button", name=re.compile("Add to project")).last.click()
        page.get_by_label("Project name").last.fill("Walk")
        page.keyboard.press("Tab")
        wait(page)
        page.get_by_role("button", name="Add block").last.click()
        page.get_by_text("Added to").wait_for()
    wait(page)
    with walk.step("its field"):
        page.goto(f"{app.url}/field?target=PD-1 x VEGF&disease=NSCLC")
        page.get_by_role("heading", level=1).wait_for()
        wait(page)
    with walk.step("scope widened"):
        page.get_by_text(re.compile("sister targets")).click()
        wait(page)
    with walk.step("project opened"):
        page.get_by_role("link", name=re.compile("Projects$")).first.click()
        page.get_by_role("link", name="Walk").click()
        page.get_by_role("heading", name="Walk", level=1).wait_for()
        wait(page)
    with walk.step("its slides saved"), page.expect_download(timeout=60_000):
        page.get_by_role("button", name=re.compile("Export")).click()
        page.get_by_role("button", name="PPTX").click()


def walk_landscape(walk: Walk, app: LiveApp) -> None:
    """A landscape from its filled form, filtered, a presentation, a drug, its company, back."""
    page = walk.page
    with walk.step("the landscape's form, filled"):
        page.goto(f"{app.url}/competitive-landscaping?ask.query={quote(QUESTION)}")
        wait(page)
    with walk.step("run to the answer, by Ctrl+Enter"):
        page.keyboard.press("Control+Enter")
        wait_for_result(page)
    with walk.step("filter by stage"):
        page.get_by_role("button", name=re.compile("Filters")).click()
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
        open_row(page)
    with walk.step("page of the drug"):
        page.get_by_role("dialog").get_by_role("link").first.click()
        page.get_by_role("heading", level=1).wait_for()
        wait(page)
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


def walk_compare(walk: Walk, app: LiveApp) -> None:
    """Two runs of one agent, ticked in the list and compared."""
    page = walk.page
    for query in (QUESTION, "GLP-1 agonists in type 2 diabetes"):
        body = json.dumps({"query": query, "query_type": "clinical"}).encode()
        app.cli("run", "competitive-landscaping", "--input", "-", stdin=body)
    with walk.step("runs"):
        page.goto(f"{app.url}/runs")
        wait(page)
    with walk.step("two ticked and compared"):
        boxes = page.locator("[data-testid=stCheckbox] label")
        for place in (0, 1):
            boxes.nth(place).click()
            wait(page)
        page.get_by_role("button", name="Compare the two").click()
        page.get_by_text(re.compile("added|gone|changed", re.IGNORECASE)).first.wait_for()
        wait(page)


def walk_genes(walk: Walk, app: LiveApp) -> None:
    """Genes pasted into an expression result, the picked ones saved."""
    page = walk.page
    with walk.step("example of expression run"):
        page.goto(f"{app.url}/differential-expression")
        wait(page)
        page.get_by_role("button", name=re.compile("airway|example", re.IGNORECASE)).first.click()
        wait_for_result(page)
    with walk.step("genes opened, one pasted"):
        page.get_by_role("tab", name="Genes", exact=True).click()
        wait(page)
        box = page.get_by_label("Gene ID or symbol contains").first
        box.fill("ENSG00000152583")
        page.keyboard.press("Enter")
        wait(page)
    with walk.step("table saved"), page.expect_download(timeout=60_000):
        page.get_by_role("button", name=re.compile("Export")).click()
        page.get_by_role("button", name="XLSX").click()


def walk_keyboard(walk: Walk, app: LiveApp) -> None:
    """A landscape without a mouse: form, run, timeline, export; the presses of Tab are printed."""
    page = walk.page
    presses = {}
    page.goto(f"{app.url}/competitive-landscaping?ask.query={quote(QUESTION)}")
    wait(page)
    with walk.step("keyboard: answer"):
        page.keyboard.press("Control+Enter")
        wait_for_result(page)
    with walk.step("keyboard: timeline"):
        presses["tabs"] = tab_to(page, "^Answer$")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        wait(page)
        assert page.get_by_role("tab", selected=True).inner_text() == "Timeline"
    with walk.step("keyboard: slides saved"), page.expect_download(timeout=60_000):
        page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
        presses["export"] = tab_to(page, r"^\w*\s*Export\b")
        page.keyboard.press("Enter")
        page.wait_for_timeout(400)
        presses["slides"] = tab_to(page, r"^\w*\s*PPTX\b")
        page.keyboard.press("Enter")
    counts = ", ".join(f"{name} {count}" for name, count in presses.items())
    sys.stdout.write(f"presses of Tab: {counts}\n")


WALKS: dict[str, Callable[[Walk, LiveApp], None]] = {
    "entities": walk_entities,
    "compare": walk_compare,
    "genes": walk_genes,
    "keyboard": walk_keyboard,
}
"""Walks after the first two, each from where the one before ended."""


def main(home: Path, pictures: Path | None) -> None:
    """Walk.

    Args:
        home: An instance whose evidence is copied.
        pictures: Where pictures of each step go.
    """
    with signed_in(home) as (app, page):
        walk = Walk(page, pictures)
        walk_landscape(walk, app)
        walk_share(walk, app, page.context)
        for name, further in WALKS.items():
            try:
                further(walk, app)
            except (playwright.Error, AssertionError) as error:
                sys.stdout.write(f"{name}: FAILED: {str(error)[:400]}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
