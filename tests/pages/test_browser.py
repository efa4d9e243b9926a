"""What an analyst does, in a real browser on a served instance."""

import csv
import io
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlparse

import openpyxl
import pypdf
import pytest

from tests.live import LiveApp, live_app  # noqa: F401 - a fixture

playwright = pytest.importorskip("playwright.sync_api")

CHROMIUM = Path("/usr/bin/chromium")
REFERENCE = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")) / "differential_expression"
READY = (
    "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HARMLESS = ("/_stcore/health", "/_stcore/host-config")
RUN_S = 240_000
PATHS = (
    "/",
    "/runs",
    "/explore",
    "/projects",
    "/asset?id=nothing",
    "/evidence",
    "/keys",
    "/account",
    "/admin-users",
    "/admin-keys",
    "/admin-audit",
    "/differential-expression",
)
OURS = {"exclude": [["[data-testid=stSidebarNav]"], ["button kbd"]]}
"""Streamlit nests its menu's list in a way that axe objects to, and writes the keys of a primary
button in a color of its own; all else is held to account."""
RUN = re.compile(r"Run( Shortcut Ctrl \+ Enter)?$")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(not CHROMIUM.exists(), reason="needs Debian's chromium"),
]


@pytest.fixture
def context(live_app: LiveApp) -> Iterator:  # noqa: F811
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        context = browser.new_context(
            viewport={"width": 1440, "height": 1000}, accept_downloads=True
        )
        yield context
        browser.close()


@pytest.fixture
def page(context, live_app: LiveApp) -> Iterator:  # noqa: F811
    """A page that is signed in; what went wrong in it fails the test."""
    page = context.new_page()
    faults: list[str] = []
    host = urlparse(live_app.url).netloc

    def note(answer) -> None:
        place = urlparse(answer.url)
        if place.scheme.startswith("http") and place.netloc != host:
            faults.append(f"outside: {answer.url}")
        if answer.status >= 400 and not place.path.endswith(HARMLESS):
            faults.append(f"{answer.status}: {answer.url}")

    page.on("response", note)
    page.on("pageerror", lambda error: faults.append(str(error)))
    sign_in(page, live_app)
    yield page
    assert not faults


def sign_in(page, app: LiveApp) -> None:
    page.goto(app.url)
    page.locator("input:not([type=password]):not([type=hidden])").fill(app.name)
    page.locator("input[type=password]").fill(app.password)
    page.keyboard.press("Enter")
    wait(page)


def wait(page) -> None:
    page.wait_for_selector(READY, timeout=60_000)
    page.wait_for_timeout(400)
    page.wait_for_selector(READY, timeout=60_000)


def upload_airway(page, app: LiveApp) -> None:
    page.goto(f"{app.url}/differential-expression")
    wait(page)
    boxes = page.locator("input[type=file]")
    boxes.nth(0).set_input_files(REFERENCE / "airway" / "counts.csv.gz")
    wait(page)
    boxes.nth(1).set_input_files(REFERENCE / "airway" / "metadata.csv")
    page.get_by_text("Reference group").wait_for(timeout=60_000)
    wait(page)


def wait_for_result(page) -> None:
    page.wait_for_selector("[data-testid=stMetric]", timeout=RUN_S)
    wait(page)


def save(page, name: str, folder: Path) -> Path:
    button = page.get_by_role("button", name=re.compile(rf"\b{name}$"))
    if not button.is_visible():
        page.get_by_role("button", name=re.compile("Export")).click()
    with page.expect_download(timeout=120_000) as expected:
        button.click()
    path = folder / expected.value.suggested_filename
    expected.value.save_as(path)
    return path


def read_figures(page) -> list[str]:
    return page.locator("[data-testid=stMetricValue]").all_inner_texts()


@pytest.mark.skipif(not REFERENCE.exists(), reason="needs the reference data")
def test_airway_from_upload_to_exports(page, live_app, tmp_path) -> None:  # noqa: F811
    upload_airway(page, live_app)
    page.get_by_role("button", name=RUN).click()
    page.get_by_text("You can leave this page").wait_for(timeout=30_000)
    assert "run=" in page.url
    page.reload()
    wait_for_result(page)
    figures = read_figures(page)
    assert len(figures) == 4
    check_pdf(save(page, "PDF", tmp_path), figures)
    check_workbook(save(page, "XLSX", tmp_path))
    body = json.loads(save(page, "JSON", tmp_path).read_bytes())
    assert f"{body['data']['consensus']['n_consensus_significant']:,}" in figures
    text = save(page, "Markdown", tmp_path).read_text()
    assert all(figure in text for figure in figures)
    check_table(page, tmp_path)


def check_pdf(path: Path, figures: list[str]) -> None:
    """The figures on screen are in the text, and at least three plots have captions."""
    pages = pypdf.PdfReader(path).pages
    text = "\n".join(page.extract_text() for page in pages)
    assert all(figure in text for figure in figures)
    assert len(set(re.findall(r"Figure\s*\d+", text))) >= 3
    boxes = subprocess.run(
        ["pdftotext", "-bbox", str(path), "-"], capture_output=True, text=True, check=True
    ).stdout
    edges = [float(edge) for edge in re.findall(r'x(?:Min|Max)="([\d.-]+)"', boxes)]
    assert edges
    assert min(edges) >= 0
    assert max(edges) <= float(pages[0].mediabox.width)


def check_workbook(path: Path) -> None:
    book = openpyxl.load_workbook(path, read_only=True)
    assert {"Report", "DESeq2", "edgeR", "limma-voom"} <= set(book.sheetnames)


def check_table(page, folder: Path) -> None:
    """The CSV below the table holds exactly the rows that pass the filter."""
    page.get_by_role("tab", name="Genes", exact=True).click()
    wait(page)
    page.get_by_label("Gene ID or symbol contains").fill("ENSG000001000")
    page.keyboard.press("Enter")
    wait(page)
    label = page.get_by_role("button", name=re.compile(r"CSV · .* rows")).inner_text()
    shown = int(re.search(r"([\d,]+) of", label)[1].replace(",", ""))
    with page.expect_download() as expected:
        page.get_by_role("button", name=re.compile(r"CSV · .* rows")).click()
    path = folder / "table.csv"
    expected.value.save_as(path)
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    assert len(rows) == shown > 0
    assert all("ENSG000001000" in row["gene_id"] for row in rows)


def tab_to(page, words: str, most: int = 150) -> int:
    """Press Tab until what has the focus says some words; return how often that took."""
    script = "() => { let e = document.activeElement; if (e && e.shadowRoot) "
    script += "e = e.shadowRoot.activeElement; return e ? "
    script += "(e.getAttribute('aria-label') || e.innerText || e.placeholder || '') : '' }"
    for count in range(1, most + 1):
        page.keyboard.press("Tab")
        if re.search(words, page.evaluate(script) or "", re.IGNORECASE):
            return count
    raise AssertionError(f"no way by Tab to {words!r} within {most} presses")


def test_by_keyboard_alone_from_the_bar_to_an_exported_project(page, live_app) -> None:  # noqa: F811
    page.goto(live_app.url)
    wait(page)
    page.keyboard.press("/")
    page.keyboard.type("qwzx vbnm")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("explore"))
    wait(page)
    assert page.get_by_text("Nothing in the evidence matches").is_visible()
    tab_to(page, r"^\w*\s*Projects$")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Projects", level=1).wait_for()
    wait(page)
    tab_to(page, "^New project$")
    page.keyboard.type("Typed review")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Typed review", level=1).wait_for()
    wait(page)
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    tab_to(page, r"^\w*\s*Export\b")
    page.keyboard.press("Enter")
    page.wait_for_timeout(400)
    tab_to(page, r"^\w*\s*Markdown$")
    with page.expect_download(timeout=60_000) as expected:
        page.keyboard.press("Enter")
    assert Path(expected.value.path()).read_text().startswith("# Typed review")


def test_sign_out_ends_the_session_for_old_cookies(context, page, live_app) -> None:  # noqa: F811
    cookies = context.cookies()
    page.goto(f"{live_app.url}/auth/logout")
    page.get_by_role("button").click()
    page.wait_for_load_state()
    time.sleep(0.2)
    context.clear_cookies()
    context.add_cookies(cookies)
    page.goto(f"{live_app.url}/runs")
    assert "/auth/login" in page.url


def test_narrow_screen_shows_the_form_without_sideways_scrolling(page, live_app) -> None:  # noqa: F811
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_app.url}/differential-expression")
    wait(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.get_by_role("button", name=RUN).is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_accessibility_finding(context, page, live_app, scheme) -> None:  # noqa: F811
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page.emulate_media(color_scheme=scheme)
    for path in PATHS:
        page.goto(live_app.url + path)
        wait(page)
        found = axe.Axe().run(page, context=OURS).response["violations"]
        serious = [
            (each["id"], [node["html"][:160] for node in each["nodes"]][:3])
            for each in found
            if each["impact"] in ("serious", "critical")
        ]
        assert not serious, (path, serious)


def test_an_import_of_evidence_is_followed_across_a_reload(page, live_app, tmp_path) -> None:  # noqa: F811
    header = "nct_id,brief_title,phase,overall_status,conditions,interventions,snapshot_date\n"
    rows = (
        f"NCT{number:08d},Drug {number} in Asthma,PHASE2,COMPLETED,Asthma,DRUG:A-{number},2025\n"
        for number in range(30_000)
    )
    path = tmp_path / "trials.csv"
    path.write_text(header + "".join(rows) + "nobody,,,,,,\n")
    page.goto(f"{live_app.url}/evidence")
    wait(page)
    page.locator("input[type=file]").first.set_input_files(path)
    page.get_by_text("trials.csv").wait_for(timeout=30_000)
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("You can leave this page").wait_for(timeout=30_000)
    page.reload()
    page.get_by_text("You can leave this page").wait_for(timeout=30_000)
    page.get_by_text("Import completed").wait_for(timeout=120_000)
    wait(page)
    assert read_figures(page) == ["30,000", "60,000", "1", "1"]
    with page.expect_download() as expected:
        page.get_by_role("button", name=re.compile(r"CSV · 1 of 1 rows")).last.click()
    expected.value.save_as(tmp_path / "damaged.csv")
    assert "trials.csv,30002," in (tmp_path / "damaged.csv").read_text()
