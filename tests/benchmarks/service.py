"""Load on a served instance, printed; nothing passes or fails (cost: `request_cost`).

Run with `python -m tests.benchmarks.service`. Client and service share the machine's cores.
"""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlparse

from core.registry import all_agents
from tests.benchmarks.result_pages import time_pages
from tests.live import LiveApp, serve

CONNECTIONS = 16
SECONDS = 8.0
CROWD = 100


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def make_message(url: str, body: bytes | None, key: str | None = None) -> bytes:
    """Return a request as it goes over the wire."""
    place = urlparse(url)
    lines = [
        f"{'POST' if body is not None else 'GET'} {place.path} HTTP/1.1",
        f"Host: {place.netloc}",
    ]
    if key:
        lines.append(f"Authorization: Bearer {key}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")


async def ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, message: bytes
) -> tuple[int, bytes]:
    """Send a request on an open connection and return status and body."""
    writer.write(message)
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
    if b"content-length" in fields:
        return status, await reader.readexactly(int(fields[b"content-length"]))
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return status, body


async def press(
    url: str, message: bytes, *, connections: int, seconds: float
) -> tuple[list[float], Counter[int]]:
    """Ask on so many connections at once; return the times in ms and the statuses."""
    place = urlparse(url)
    times: list[float] = []
    statuses: Counter[int] = Counter()
    end = time.monotonic() + seconds

    async def one() -> None:
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        while time.monotonic() < end:
            began = time.perf_counter()
            status, _ = await ask(reader, writer, message)
            times.append((time.perf_counter() - began) * 1000)
            statuses[status] += 1
        writer.close()

    await asyncio.gather(*(one() for _ in range(connections)))
    return times, statuses


def tell(label: str, times: list[float], statuses: Counter[int], seconds: float) -> None:
    """Print rate and times of one load."""
    p99 = statistics.quantiles(times, n=100)[98]
    say(
        f"{label:<34}{len(times) / seconds:>8.0f} /s   median {statistics.median(times):6.1f} ms   "
        f"p99 {p99:6.1f} ms   {dict(statuses)}"
    )


def time_crowd(app: LiveApp, key: str) -> None:
    """Send one request a hundred times at once: one execution, equal answers."""
    agent = all_agents()["differential-expression"]
    request = agent.examples[0].request | {"use_cache": True, "min_count": 11}
    url = f"{app.url}/v1/agents/{agent.name}"
    message = make_message(url, json.dumps(request).encode(), key)

    async def one() -> tuple[int, bytes]:
        place = urlparse(url)
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        answer = await ask(reader, writer, message)
        writer.close()
        return answer

    async def crowd() -> list[tuple[int, bytes]]:
        return await asyncio.gather(*(one() for _ in range(CROWD)))

    began = time.perf_counter()
    answers = asyncio.run(crowd())
    took = time.perf_counter() - began
    bodies = [json.loads(body) for _, body in answers]
    runs = {body["run_id"] for body in bodies}
    for body in bodies:
        body["data"].pop("cached", None)
    data = {json.dumps(body["data"], sort_keys=True) for body in bodies}
    say(
        f"{CROWD} identical requests at once: {len(runs)} execution, {len(data)} distinct answer, "
        f"statuses {dict(Counter(status for status, _ in answers))}, {took:.1f} s"
    )


def time_health(app: LiveApp, key: str) -> None:
    """Time /healthz while two runs compute."""
    agent = all_agents()["differential-expression"]
    for seed in (12, 13):
        request = agent.examples[0].request | {"min_count": seed}
        start_run(app, key, agent.name, request)
    url = f"{app.url}/healthz"
    told = asyncio.run(press(url, make_message(url, None), connections=1, seconds=3))
    tell("/healthz during two runs", *told, 3)


def start_run(app: LiveApp, key: str, agent: str, request: object) -> None:
    """Start a run without waiting for it."""
    url = f"{app.url}/v1/runs"
    body = json.dumps({"agent": agent, "input": request}).encode()

    async def send() -> None:
        place = urlparse(url)
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        await ask(reader, writer, make_message(url, body, key))
        writer.close()

    asyncio.run(send())


def main() -> None:
    """Print all loads."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder), BPW_QUOTA_RUNS="1000000") as app,
    ):
        key = app.key()
        time_crowd(app, key)
        time_health(app, key)
        for line in time_pages(app):
            say(line)


if __name__ == "__main__":
    main()
