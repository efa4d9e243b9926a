"""Result pages of 20,000 genes opened at once over real websockets, as browsers open them."""

import asyncio
import json
import random
import statistics
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.live import LiveApp

AGENT = "differential-expression"
GENES, SAMPLES = 20_000, 8
CROWDS = (1, 10, 30)
WAVES = 3
SESSION_S = 120
"""Streamlit keeps the session of a browser that left so long, for it may come back."""


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def sign_in(app: LiveApp) -> str:
    """Return the cookie of a signed-in browser."""
    form = urllib.parse.urlencode({"name": app.name, "password": app.password, "next": "/"})
    ask = urllib.request.Request(
        f"{app.url}/auth/login", form.encode(), headers={"Origin": app.url}
    )
    try:
        urllib.request.build_opener(_Stay).open(ask)
    except urllib.error.HTTPError as answer:
        return answer.headers["Set-Cookie"].partition(";")[0]
    raise AssertionError("the sign-in led nowhere")


def make_tables(folder: Path) -> list[str]:
    """Write counts of 20,000 genes in 8 samples and return them as arguments of `run`."""
    draw = random.Random(1)
    names = [f"s{n}" for n in range(SAMPLES)]
    with (folder / "counts.csv").open("w", encoding="utf-8") as counts:
        counts.write(f"gene,{','.join(names)}\n")
        for gene in range(GENES):
            mean = 10 ** draw.uniform(0.8, 3.5)
            shift = 2.5 if gene % 20 == 0 else 1.0
            cells = (
                int(draw.gammavariate(5, mean * (shift if n >= SAMPLES // 2 else 1) / 5))
                for n in range(SAMPLES)
            )
            counts.write(f"GENE{gene:05d},{','.join(map(str, cells))}\n")
    rows = "".join(f"{name},{'treated' if n >= 4 else 'control'}\n" for n, name in enumerate(names))
    (folder / "metadata.csv").write_text(f"sample,condition\n{rows}", encoding="utf-8")
    return [f"counts={folder / 'counts.csv'}", f"metadata={folder / 'metadata.csv'}"]


def make_run(app: LiveApp) -> str:
    """Compute a study of 20,000 genes and return its run."""
    files = make_tables(app.folder)
    request = {
        "condition_column": "condition",
        "reference_group": "control",
        "comparison_group": "treated",
    }
    arguments = [part for file in files for part in ("--file", file)]
    done = app.cli("run", AGENT, "--input", "-", *arguments, stdin=json.dumps(request).encode())
    return str(json.loads(done.stdout)["run_id"])


async def open_page(app: LiveApp, cookie: str, run_uuid: str) -> tuple[float, int]:
    """Open a result page; return the seconds until it is drawn whole and the bytes it took."""
    url = f"{app.url.replace('http', 'ws', 1)}/_stcore/stream"
    began, size = time.perf_counter(), 0
    async with websockets.connect(
        url,
        additional_headers={"Cookie": cookie},
        origin=app.url,  # type: ignore[arg-type]
        subprotocols=["streamlit"],  # type: ignore[list-item]
        max_size=None,
        open_timeout=120,
        ping_timeout=None,
    ) as stream:
        wanted = BackMsg()
        wanted.rerun_script.query_string = f"run={run_uuid}"
        wanted.rerun_script.page_name = AGENT
        await stream.send(wanted.SerializeToString())
        while True:
            content = await stream.recv()
            size += len(content)
            message = ForwardMsg.FromString(content)  # type: ignore[arg-type]
            assert not message.delta.new_element.HasField("exception"), message
            if message.WhichOneof("type") == "script_finished":
                return time.perf_counter() - began, size


async def open_crowd(app: LiveApp, cookie: str, run_uuid: str, pages: int) -> list[float]:
    """Open pages at once and return the seconds of each."""
    told = await asyncio.gather(*(open_page(app, cookie, run_uuid) for _ in range(pages)))
    return [seconds for seconds, _ in told]


async def watch_health(app: LiveApp, waits: list[float], ended: asyncio.Event) -> None:
    """Ask for a sign of life ten times a second."""
    while not ended.is_set():
        began = time.perf_counter()
        await asyncio.to_thread(lambda: urllib.request.urlopen(f"{app.url}/healthz").read())
        waits.append(time.perf_counter() - began)
        await asyncio.sleep(0.1)


async def crowd_with_health(
    app: LiveApp, cookie: str, run_uuid: str, pages: int
) -> tuple[list[float], float]:
    """Open pages at once; return their seconds and the longest wait for a sign of life."""
    ended, waits = asyncio.Event(), [0.0]
    watch = asyncio.create_task(watch_health(app, waits, ended))
    times = await open_crowd(app, cookie, run_uuid, pages)
    ended.set()
    await watch
    return times, max(waits)


def memory_mb(app: LiveApp) -> float:
    """Return the resident memory of the serving process."""
    status = Path(f"/proc/{app.process.pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def time_pages(app: LiveApp) -> list[str]:
    """Return lines that tell how long crowds of result pages take, and what they leave behind."""
    run_uuid, cookie = make_run(app), sign_in(app)
    _, size = asyncio.run(open_page(app, cookie, run_uuid))
    start = memory_mb(app)
    lines = [f"result page of {GENES:,} genes: {size / 1e6:.2f} MB over the websocket"]
    for pages in CROWDS:
        told = [asyncio.run(crowd_with_health(app, cookie, run_uuid, pages)) for _ in range(WAVES)]
        times = sorted(seconds for wave, _ in told for seconds in wave)
        p95 = statistics.quantiles(times, n=20)[-1] if len(times) > 2 else times[-1]
        lines.append(
            f"{pages:>3} pages at once: median {statistics.median(times):5.2f} s   p95 {p95:5.2f} s"
            f"   worst /healthz {max(wait for _, wait in told):5.2f} s   {memory_mb(app):.0f} MB"
        )
    time.sleep(SESSION_S + 5)
    asyncio.run(open_page(app, cookie, run_uuid))  # lets the sessions go whose time has come
    time.sleep(65)
    lines.append(
        f"memory before {start:.0f} MB, when the sessions have ended {memory_mb(app):.0f} MB"
    )
    return lines
