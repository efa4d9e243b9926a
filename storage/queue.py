"""The queue of runs on PostgreSQL: Procrastinate brings each run to one worker of any host.

The run table says what became of a run, the queue only whose turn it is: a job that is lost is put
again, one that comes twice finds its run taken. So the tables of the queue lie in a schema of
their own, named by Procrastinate's version, that an upgrade makes anew and a backup leaves out.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import structlog
from sqlalchemy import func, text
from sqlmodel import col, select

from core.errors import StorageUnavailable
from core.records.runs import RunRecord
from storage.engine import Database
from storage.locks import locked
from storage.run_records import as_record
from storage.runs import UNFINISHED
from storage.tables import RunRow

PREFIX = "bpw_queue_"
"""How the names of the queue's schemas begin."""
SCHEMA = PREFIX + version("procrastinate").replace(".", "_")
"""Where the tables of the queue lie."""
_TASK = "execute_run"
_GONE_S = 60.0
"""A worker that did not report for so long is gone; live ones report every ten seconds."""
_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_TURN_S = 30.0
"""A caller's run waits as if it had come so much later for each unfinished one before it."""
_AGAIN_S = 2.0
_PATIENCE_S = 5.0
"""Wait for a connection, while the database is away."""
_LOST = text(
    "SELECT run_uuid FROM run WHERE status = 'queued' AND worker IS NULL AND NOT EXISTS ("
    f"SELECT 1 FROM {SCHEMA}.procrastinate_jobs AS job "  # noqa: S608 - a name of ours
    "WHERE job.queueing_lock = run.run_uuid AND job.status IN ('todo', 'doing'))"
)
Execute = Callable[[str], Awaitable[None]]


class RunQueue:
    """The queue of one instance (core.ports.RunQueue)."""

    def __init__(self, database: Database, home: Path) -> None:
        """Keep the database; nothing is opened yet.

        Args:
            database: PostgreSQL.
            home: Instance folder.
        """
        self._database = database
        self._home = home
        self._app: Any = None

    def prepare(self) -> None:
        """Make the tables of the queue, unless they are there; those of other versions go."""
        with (
            locked(self._database, self._home, "queue"),
            self._database.connect_alone() as connection,
        ):
            names = text("SELECT nspname FROM pg_namespace WHERE starts_with(nspname, :prefix)")
            schemas = set(connection.execute(names, {"prefix": PREFIX}).scalars())
            for former in schemas - {SCHEMA}:
                connection.execute(text(f'DROP SCHEMA "{former}" CASCADE'))
            table = text(f"SELECT to_regclass('{SCHEMA}.procrastinate_jobs') IS NOT NULL")
            if connection.execute(table).scalar_one():
                return
            connection.execute(text(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE"))
            connection.execute(text(f"CREATE SCHEMA {SCHEMA}"))
            self._opened().schema_manager.apply_schema()

    def put(self, run: RunRecord, lane: str) -> None:
        """Let a run wait for its turn in a lane; callers take turns.

        Raises:
            StorageUnavailable: The database does not answer.
        """
        from procrastinate.exceptions import AlreadyEnqueued, ConnectorException

        others = select(func.count()).where(
            col(RunRow.owner_id) == run.owner_id,
            col(RunRow.status).in_(UNFINISHED),
            col(RunRow.run_uuid) != run.run_uuid,
        )
        with self._database.read() as session:
            behind_s = _TURN_S * session.exec(others).one()
        priority = int((_EPOCH - run.created_at).total_seconds() - behind_s)
        try:
            with suppress(AlreadyEnqueued):
                self._opened().configure_task(
                    _TASK, queue=lane, queueing_lock=run.run_uuid, priority=priority
                ).defer(run_uuid=run.run_uuid)
        except ConnectorException as failure:
            raise StorageUnavailable("the queue of runs does not answer") from failure

    def lost(self) -> Sequence[RunRecord]:
        """Return the runs that wait for a worker and of which the queue knows nothing."""
        with self._database.read() as session:
            names = session.connection().execute(_LOST).scalars().all()
            rows = session.exec(select(RunRow).where(col(RunRow.run_uuid).in_(names)))
            return [as_record(row) for row in rows]

    async def work(
        self, places: Mapping[str, int], execute: Execute, stopped: asyncio.Event
    ) -> None:
        """Execute runs as they come until it is stopped, also after the database was away.

        Args:
            places: How many runs of each lane are executed at once.
            execute: Takes the id of a run and returns when nothing is left to do about it.
            stopped: Ends the work; runs under way are left to `execute`.
        """
        await asyncio.gather(
            *(self._work(lane, count, execute, stopped) for lane, count in places.items())
        )

    async def _work(self, lane: str, count: int, execute: Execute, stopped: asyncio.Event) -> None:
        from procrastinate.exceptions import ConnectorException

        while not stopped.is_set():
            try:
                await self._work_once(lane, count, execute, stopped)
            except (ConnectorException, OSError) as failure:
                structlog.get_logger("queue").error("queue away", reason=str(failure))
                with suppress(TimeoutError):
                    await asyncio.wait_for(stopped.wait(), _AGAIN_S)

    async def _work_once(
        self, lane: str, count: int, execute: Execute, stopped: asyncio.Event
    ) -> None:
        from procrastinate import App, PsycopgConnector

        app = App(connector=PsycopgConnector(**self._address(), min_size=1))

        @app.task(name=_TASK)
        async def execute_run(run_uuid: str) -> None:
            await execute(run_uuid)

        async with app.open_async():
            await _forget_stalled(app)
            working = asyncio.create_task(
                app.run_worker_async(
                    queues=[lane],
                    concurrency=count,
                    name=lane,
                    delete_jobs="always",
                    install_signal_handlers=False,
                    stalled_worker_timeout=_GONE_S,
                    fetch_job_polling_interval=1.0,
                )
            )
            ending = asyncio.create_task(stopped.wait())
            while not working.done() and not ending.done():
                await asyncio.wait(
                    {working, ending}, timeout=_GONE_S, return_when="FIRST_COMPLETED"
                )
                if not working.done():
                    await _forget_stalled(app)
            ending.cancel()
            working.cancel()  # fetches nothing more, and waits for what is under way
            with suppress(asyncio.CancelledError):
                await working

    def close(self) -> None:
        """Give back all connections."""
        if self._app is not None:
            self._app.close()

    def _opened(self) -> Any:
        """Return Procrastinate for what this process puts; connected at the first use."""
        if self._app is None:
            from procrastinate import App, SyncPsycopgConnector

            self._app = App(connector=SyncPsycopgConnector(**self._address(), min_size=1))
            self._app.open()
        return self._app

    def _address(self) -> dict[str, Any]:
        """Return how a connection reaches the database and finds the tables of the queue."""
        url = self._database.engine.url
        parts: dict[str, Any] = {
            "host": url.host,
            "port": url.port,
            "user": url.username,
            "password": url.password,
            "dbname": url.database,
            **url.query,
        }
        options = f"{parts.get('options', '')} -csearch_path={SCHEMA},public".strip()
        arguments = {name: value for name, value in parts.items() if value} | {"options": options}
        return {"kwargs": arguments, "max_size": 5, "timeout": _PATIENCE_S}


async def _forget_stalled(app: Any) -> None:
    """Take jobs of workers that are gone out of the queue; their runs are put again."""
    from procrastinate.jobs import Status

    for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=_GONE_S):
        await app.job_manager.finish_job(job, Status.FAILED, delete_job=True)
