"""Reports are made two at a time, once each, and nothing else waits behind them."""

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.execution import rendering
from core.exports import list_files
from core.records.runs import Caller, NewRun, RunRecord
from core.workbench import Workbench

MANY = 24
Run = Callable[..., RunRecord]


class SlowPress:
    """Stands for the child that renders: it notes what it is asked for and waits for leave."""

    def __init__(self) -> None:
        self.leave = threading.Event()
        self.asked: list[str] = []
        self.at_work = self.most = 0
        self._lock = threading.Lock()

    def call(self, target: object, task: rendering.RenderTask, **_: Any) -> bytes:
        with self._lock:
            self.asked.append(task.about.run_uuid)
            self.at_work += 1
            self.most = max(self.most, self.at_work)
        self.leave.wait(30)
        with self._lock:
            self.at_work -= 1
        return b"%PDF-" + task.about.run_uuid.encode()


@pytest.fixture
def press(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowPress]:
    made = SlowPress()
    monkeypatch.setattr(workbench.executor, "call", made.call)
    yield made
    made.leave.set()


def copy_run(workbench: Workbench, run: RunRecord, owner: Caller) -> str:
    """Return the id of another run with the same result."""
    run_uuid = str(uuid.uuid4())
    runs = workbench.stores.runs
    runs.open(
        NewRun(
            run_uuid=run_uuid,
            agent=run.agent,
            owner_id=owner.user_id,
            key_id=None,
            title=run.title,
            fingerprint=run.fingerprint,
            data_version=run.data_version,
            input_sha256=run.input_sha256,
            use_cache=False,
            created_at=workbench.now(),
            worker=None,
        )
    )
    runs.finish(run_uuid, "completed", at=workbench.now(), artifacts=run.artifacts)
    return run_uuid


def ask(client: TestClient, run_uuid: str) -> bytes:
    answer = client.get(f"/v1/runs/{run_uuid}/report.pdf")
    assert answer.status_code == 200
    return answer.content


def test_lists_refusals_and_readiness_answer_while_reports_are_made(
    client: TestClient,
    stranger: TestClient,
    service: Starlette,
    workbench: Workbench,
    run_probe: Run,
    anna: Caller,
    press: SlowPress,
) -> None:
    run = run_probe()
    wanted = [copy_run(workbench, run, anna) for _ in range(MANY)]
    with ThreadPoolExecutor(MANY) as threads:
        answers = [threads.submit(ask, client, one) for one in wanted]
        while len(press.asked) < 2:
            time.sleep(0.01)
        time.sleep(0.5)
        wrong = TestClient(service, headers={"Authorization": f"Bearer bpw_live_{'0' * 32}"})
        began = time.monotonic()
        statuses = [
            stranger.get("/v1/runs").status_code,
            client.get(f"/v1/runs/{run.run_uuid}").status_code,
            wrong.get("/v1/runs").status_code,
            wrong.get("/readyz").status_code,
            wrong.get("/v1/health").status_code,
        ]
        elapsed_s = time.monotonic() - began
        press.leave.set()
        contents = [answer.result() for answer in answers]
    assert statuses == [200, 200, 401, 200, 200]
    assert elapsed_s < 8  # 29.6 s before
    assert press.most == 2
    assert contents == [b"%PDF-" + one.encode() for one in wanted]


def test_report_asked_for_by_many_is_made_once_and_then_read(
    client: TestClient,
    workbench: Workbench,
    run_probe: Run,
    anna: Caller,
    press: SlowPress,
) -> None:
    run = run_probe()
    with ThreadPoolExecutor(8) as threads:
        answers = [threads.submit(ask, client, run.run_uuid) for _ in range(8)]
        time.sleep(0.5)
        press.leave.set()
        first = {answer.result() for answer in answers}
    assert len(first) == 1
    assert ask(client, run.run_uuid) == first.pop()
    assert Counter(press.asked) == {run.run_uuid: 1}
    kept = [part for part in workbench.stores.runs.get(anna.user_id, run.run_uuid).artifacts]
    assert [part.name[:4] for part in kept if part.kind == "report"] == ["pdf-"]


def test_renamed_run_gets_another_report_in_the_place_of_the_first(
    client: TestClient,
    workbench: Workbench,
    run_probe: Run,
    anna: Caller,
    press: SlowPress,
) -> None:
    press.leave.set()
    run = run_probe()
    ask(client, run.run_uuid)
    client.patch(f"/v1/runs/{run.run_uuid}", json={"title": "Another"})
    ask(client, run.run_uuid)
    assert len(press.asked) == 2
    held = workbench.stores.runs.get(anna.user_id, run.run_uuid)
    assert len([part for part in held.artifacts if part.kind == "report"]) == 1
    assert [file["name"] for file in client.get(f"/v1/runs/{run.run_uuid}").json()["files"]] == [
        file.name for file in list_files(run)
    ]


def test_reports_of_one_caller_delay_anothers_by_one_place(
    client: TestClient,
    stranger: TestClient,
    workbench: Workbench,
    run_probe: Run,
    anna: Caller,
    boris: Caller,
    press: SlowPress,
) -> None:
    run = run_probe()
    hers = [copy_run(workbench, run, anna) for _ in range(12)]
    his = copy_run(workbench, run, boris)
    with ThreadPoolExecutor(13) as threads:
        answers = [threads.submit(ask, client, one) for one in hers]
        while len(press.asked) < 2:
            time.sleep(0.01)
        time.sleep(1.5)
        answers.append(threads.submit(ask, stranger, his))
        time.sleep(1.5)
        press.leave.set()
        for answer in answers:
            answer.result()
    assert press.asked.index(his) <= 3
