"""Takes the pictures of the guides from a running instance: `python -m tests.pictures`.

Makes an instance with the starter pack in a temporary folder, runs an example of each agent on it,
opens the pages in Chromium and writes `docs/images/NAME.png` with few colors. Needs the
development packages and Debian's chromium; takes some minutes.
"""

import io
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
READY = (
    "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
)
WIDTH, HEIGHT = 1280, 860
COLORS = 64
QUESTION = "PD-1 x VEGF bispecific antibodies in phase 3"
PATIENCE_MS = 180_000


@dataclass(frozen=True)
class Instance:
    """A served instance.

    Attributes:
        url: Where it answers.
        name: Of the administrator.
        password: Of the administrator.
        runs: Ids of runs by agent.
    """

    url: str
    name: str
    password: str
    runs: dict[str, str]


def main() -> None:
    """Write all pictures."""
    IMAGES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder)) as instance,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        sign_in(page, instance)
        take(page, "home")
        page.goto(f"{instance.url}/explore?q={QUESTION.replace(' ', '+')}")
        wait(page)
        take(page, "explore")
        for agent, run in instance.runs.items():
            page.goto(f"{instance.url}/{agent}?run={run}")
            page.wait_for_selector("[data-testid=stMetric]", timeout=PATIENCE_MS)
            wait(page)
            take(page, agent)
        browser.close()


@contextmanager
def serve(home: Path) -> Iterator[Instance]:
    """Make an instance with a run of each agent, and serve it.

    Args:
        home: Empty folder.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    environment = os.environ | {"BPW_HOME": str(home), "BPW_OFFLINE": "1", "BPW_PORT": port}
    set_up = call(["setup", "--evidence"], environment)
    account = re.search(r"administrator: (\S+)  password: (\S+)", set_up)
    if account is None:
        raise SystemExit(f"no administrator was made: {set_up}")
    runs = {agent: run_example(agent, environment) for agent in call(["list"], environment).split()}
    server = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=environment)
    try:
        wait_for(int(port))
        yield Instance(f"http://127.0.0.1:{port}", account[1], account[2], runs)
    finally:
        server.terminate()
        server.wait()


def call(arguments: list[str], environment: dict[str, str], given: str = "") -> str:
    """Run a command of the product and return what it wrote."""
    command = [sys.executable, "-m", "api", *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        input=given,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def run_example(agent: str, environment: dict[str, str]) -> str:
    """Run an agent's example and return the id of the run."""
    example = call(["example", agent], environment)
    envelope = json.loads(call(["run", agent, "--input", "-"], environment, example))
    return str(envelope["run_id"])


def wait_for(port: int) -> None:
    """Return when somebody listens."""
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise SystemExit("the server did not start")


def sign_in(page: Page, instance: Instance) -> None:
    """Sign the administrator in."""
    page.goto(instance.url)
    page.locator("input:not([type=password]):not([type=hidden])").fill(instance.name)
    page.locator("input[type=password]").fill(instance.password)
    page.keyboard.press("Enter")
    wait(page)


def wait(page: Page) -> None:
    """Return when the page is drawn."""
    for pause_ms in (1_000, 2_000):
        page.wait_for_selector(READY, timeout=PATIENCE_MS)
        page.wait_for_timeout(pause_ms)


def take(page: Page, name: str) -> None:
    """Write what the page shows."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    small = picture.quantize(COLORS, dither=Image.Dither.NONE)
    small.save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
