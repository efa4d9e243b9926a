"""Takes the pictures of the guides from a running instance: `python -m tests.pictures`.

Makes an instance with the starter pack in a temporary folder (or takes `python -m tests.pictures
HOME`), runs an example of each agent on it, opens the pages in Chromium and writes
`docs/images/NAME.png` with few colors. Needs the development packages and Debian's chromium.
"""

import io
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
COLORS = 192
NAME = "anna"
QUESTION = "PD-1 x VEGF bispecific antibodies in phase 3"
PATIENCE_MS = 180_000


@dataclass(frozen=True)
class Instance:
    """A served instance.

    Attributes:
        url: Where it answers.
        password: Of the account that takes the pictures.
        key: An API key of it.
    """

    url: str
    password: str
    key: str


def main() -> None:
    """Write all pictures."""
    IMAGES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(sys.argv[1] if sys.argv[1:] else folder)) as instance,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        sign_in(page, instance)
        take(page, "home")
        for agent in ask(instance, "agents")["agents"]:
            name = agent["name"]
            if name == "alerts":  # it keeps no runs
                continue
            example = call(["example", name], dict(os.environ))
            run = ask(instance, f"agents/{name}", example)["run_id"]
            page.goto(f"{instance.url}/{name}?run={run}")
            page.wait_for_selector("[data-testid=stMetric]", timeout=PATIENCE_MS)
            wait(page)
            take(page, name)
        page.goto(f"{instance.url}/ask?q={QUESTION.replace(' ', '+')}")
        wait(page)
        page.get_by_role("button", name="Ask", exact=True).first.click()
        page.wait_for_selector("[data-testid=stPageLink]", timeout=PATIENCE_MS)
        wait(page)
        take(page, "ask")
        browser.close()


@contextmanager
def serve(home: Path) -> Iterator[Instance]:
    """Serve an instance, which is made where the folder is empty.

    Args:
        home: Folder of the instance.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    environment = os.environ | {"BPW_HOME": str(home), "BPW_OFFLINE": "1", "BPW_PORT": port}
    call(["setup", "--evidence"], environment)
    made = call(["users", "create", "--name", NAME, "--role", "admin"], environment)
    key = call(["keys", "create", "--name", "pictures", "--user", NAME], environment).strip()
    server = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=environment)
    try:
        wait_for(int(port))
        yield Instance(f"http://127.0.0.1:{port}", made.split()[-1], key)
    finally:
        server.terminate()
        server.wait()


def ask(instance: Instance, path: str, body: str | None = None) -> dict[str, Any]:
    """Return the answer of the API to a request."""
    headers = {"Authorization": f"Bearer {instance.key}", "Content-Type": "application/json"}
    content = body.encode() if body else None
    request = urllib.request.Request(f"{instance.url}/v1/{path}", content, headers)
    with urllib.request.urlopen(request, timeout=600) as answer:
        read: dict[str, Any] = json.load(answer)
    return read


def call(arguments: list[str], environment: dict[str, str]) -> str:
    """Run a command of the product and return what it wrote."""
    command = [sys.executable, "-m", "api", *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def wait_for(port: int) -> None:
    """Return when somebody listens."""
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise SystemExit("the server did not start")


def sign_in(page: Page, instance: Instance) -> None:
    """Sign in."""
    page.goto(instance.url)
    page.locator("input:not([type=password]):not([type=hidden])").fill(NAME)
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
