"""Every agent's example looked at in Chromium: findings of axe, times, pictures.

    python -m tests.benchmarks.page_states HOME [FOLDER FOR PICTURES]

The instance of HOME (its evidence alone) is copied and served. Each agent's first example is
computed; its page is opened in light and dark, at 1360 and at 390 px, and held against axe, as are
pages about a drug, a company and a field. Printed are critical and serious findings that are ours,
the first load of a signed-in browser and the next page, each next to those of a bare Streamlit
app in the same run (<= 1.5 and 1.0 times), and a finished answer opened anew.
"""

import json
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from axe_playwright_python.sync_playwright import Axe

from core.registry import all_agents
from tests.benchmarks.copies import signed_in
from tests.benchmarks.targets import say
from tests.live import LiveApp, free_port
from tests.pages.test_browser import OURS, READY, wait

STATES = [(scheme, width) for scheme in ("light", "dark") for width in (1360, 390)]
PAGES = (
    "/runs",
    "/lists",
    "/evidence",
    "/account",
    "/keys",
    "/alerts",
    "/projects",
    "/explore",
    "/",
    "/asset?id=ivonescimab",
    "/asset?id=sotorasib&tabs=Trials",
    "/company?id=BioMarin",
    "/field?target=KRAS G12C&disease=NSCLC",
    "/compare?ids=sotorasib,adagrasib",
)
REPEATS = 7
BARE = """
import streamlit as st

def first():
    st.title("First")

def second():
    st.title("Second")

st.navigation([st.Page(first), st.Page(second, title="Second")], position="top").run()
"""
"""A page of Streamlit's own with nothing on it but a title and a menu."""


def compute(app: LiveApp) -> dict[str, str]:
    """Run each agent's first example; return its run by agent."""
    found = {}
    for name, agent in all_agents().items():
        if not agent.examples:
            continue
        body = json.dumps(dict(agent.examples[0].request)).encode()
        done = app.cli("run", name, "--input", "-", stdin=body)
        if done.returncode == 0:
            found[name] = str(json.loads(done.stdout)["run_id"])
        else:
            say(f"{name}: {done.stderr.decode()[-200:]}")
    return found


def ready(page: Any, address: str) -> float:
    """Open an address and return the seconds until it is drawn."""
    began = time.perf_counter()
    page.goto(address)
    page.wait_for_selector(READY, timeout=60_000)
    return time.perf_counter() - began


def judge(page: Any, name: str) -> int:
    """Print what axe finds on a page, and return how many findings are serious and ours."""
    violations = Axe().run(page, context=OURS).response["violations"]
    serious = [one for one in violations if one["impact"] in {"serious", "critical"}]
    for one in serious:
        say(f"  {name}: {one['id']}: {one['nodes'][0]['html'][:140]}")
    return len(serious)


def look(page: Any, app: LiveApp, runs: dict[str, str], pictures: Path | None) -> None:
    """Open each result in each state."""
    serious = wide = 0
    for scheme, width in STATES:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        for name, run in runs.items():
            page.goto(f"{app.url}/{name}?run={run}")
            wait(page)
            serious += judge(page, f"{name} {scheme} {width}")
            wide += page.evaluate("document.documentElement.scrollWidth > window.innerWidth + 1")
            if pictures:
                page.screenshot(path=str(pictures / f"{name}-{scheme}-{width}.png"))
        for path in PAGES:
            page.goto(app.url + path)
            wait(page)
            serious += judge(page, f"{path} {scheme} {width}")
            wide += page.evaluate("document.documentElement.scrollWidth > window.innerWidth + 1")
            if pictures:
                stem = path.partition("?")[0].strip("/") or "home"
                page.screenshot(path=str(pictures / f"{stem}-{scheme}-{width}.png"))
    say(f"axe: {serious} critical and serious; {wide} pages wider than the screen")


@contextmanager
def bare_app() -> Iterator[str]:
    """Serve a bare Streamlit app; yield its address."""
    with TemporaryDirectory() as folder:
        script = Path(folder) / "bare.py"
        script.write_text(BARE)
        port = free_port()
        command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless=true"]
        command += [f"--server.port={port}", "--browser.gatherUsageStats=false"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
            address = f"http://127.0.0.1:{port}"
            for _ in range(100):
                with suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health"):
                    break
                time.sleep(0.2)
            yield address
            process.terminate()


def time_pages(context: Any, address: str, link: str, heading: str) -> tuple[float, float]:
    """Return the seconds of a first load, and of a change to a page of the menu."""
    page = context.new_page()
    first = ready(page, address)
    wait(page)
    began = time.perf_counter()
    page.get_by_role("link", name=link).first.click()
    page.get_by_role("heading", name=heading, level=1).wait_for()
    further = time.perf_counter() - began
    page.close()
    return first, further


def measure(context: Any, app: LiveApp, runs: dict[str, str]) -> None:
    """Print the median times of a first load, a next page and an answer."""
    with bare_app() as bare:
        times = [
            (
                time_pages(context, app.url, "Explore", "Explore"),
                time_pages(context, bare, "Second", "Second"),
            )
            for _ in range(REPEATS)
        ]
    for place, name in enumerate(("first load", "next page")):
        ours, theirs = (statistics.median(one[side][place] for one in times) for side in (0, 1))
        say(f"{name}: {ours:.2f} s, bare Streamlit {theirs:.2f} s: {ours / theirs:.2f} times")
    opened = []
    for name, run in runs.items():
        page = context.new_page()
        opened.append(ready(page, f"{app.url}/{name}?run={run}"))
        page.close()
    if opened:
        say(f"result opened anew: {statistics.median(opened):.2f} s (worst {max(opened):.2f})")


def main(home: Path, pictures: Path | None) -> None:
    """Compute, look, measure.

    Args:
        home: An instance whose evidence is copied.
        pictures: Where pictures go.
    """
    with signed_in(home) as (app, page):
        runs = compute(app)
        measure(page.context, app, runs)
        look(page, app, runs, pictures)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
